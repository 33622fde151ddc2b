"""Likely translations of words, learnt by alignment (IBM model 1, Brown et al. 1993).

In numpy: the aligners on the registry need a C compiler (eflomal) or hours (nltk's IBMModel1 keeps
each pair of words in nested dictionaries).
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Int
from scipy.sparse import coo_array

from fa_jax.config import DataConfig
from fa_jax.data.codec import TextCodec
from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.prepared import prepare
from fa_jax.data.vocabulary import PAD

ITERATIONS = 5
PAIRS_OF_WORDS = 40_000_000
"""Read at most (2 GB at work). Where there are more, sentences are drawn at random, the same each
time."""
ALL_WORDS = 2**31 - 1
"""Of the training set, however rare."""


def learn_lexicon(
    pairs: EncodedPairs, source_size: int, target_size: int, translations: int
) -> Int[np.ndarray, "source_size translations"]:
    """Each source word's most likely target words, best first; PAD where there are fewer.

    Args:
      source_size, target_size: numbers of words in the vocabularies.
    """
    return _most_likely(_translation_table(pairs, source_size, target_size), translations)


def learn_dictionary(config: DataConfig, known: TextCodec) -> dict[str, str]:
    """Source words, and what each is most likely to be among target words that are not known.

    What a model writes as `<unk>` is none of the words that it knows. So a source word's
    translation here is the unknown word t with the highest t(t | s) · t(s | t): a pair counts where
    each is what the other is aligned with. Words that stand on both sides as they are, such as
    names, have no entry: they are copied.

    Args:
      config: the corpus and its tokenizer.
      known: the target's; its vocabulary's words are no entries.

    Returns:
      An entry for each source word that ever stands beside an unknown target word.

    Raises:
      UserError: the corpus is not there.
    """
    data = prepare(replace(config, source_vocabulary=ALL_WORDS, target_vocabulary=ALL_WORDS))
    sources, targets = data.source.vocabulary.tokens, data.target.vocabulary.tokens
    back = EncodedPairs(data.train.target, data.train.source)
    forth = _translation_table(data.train, len(sources), len(targets))
    both = (forth * _translation_table(back, len(targets), len(sources)).T).tocoo()
    of_model, written = {*known.vocabulary.tokens}, {*targets}
    unknown = np.array([word not in of_model for word in targets])
    copied = np.array([word in written for word in sources])
    wanted = unknown[both.col] & ~copied[both.row]
    places = both.row[wanted], both.col[wanted]
    best = _most_likely(coo_array((both.data[wanted], places), both.shape), 1)[:, 0]
    return {sources[word]: targets[best[word]] for word in np.flatnonzero(best != PAD)}


def _translation_table(pairs: EncodedPairs, source_size: int, target_size: int) -> coo_array:
    """t(target word | source word) of all words that stand in one sentence pair.

    Expectation maximisation: a target word is written by one word of its source sentence, or by
    none (here PAD), with this probability. Arguments as of `learn_lexicon`.
    """
    rows = np.random.default_rng(0).permutation(len(pairs.source))
    counts = (pairs.source.lengths + 1) * pairs.target.lengths
    rows = rows[counts[rows] <= PAIRS_OF_WORDS // 100]  # one long pair would leave no room
    fitting = np.searchsorted(np.cumsum(counts[rows]), PAIRS_OF_WORDS, side="right")
    rows = np.sort(rows[:fitting])
    pair, cell = _cells(pairs.source.take(rows), pairs.target.take(rows), target_size)
    links, link = np.unique(pair, return_inverse=True)
    source, target = np.divmod(links, target_size)
    probability = np.ones(len(links))
    for _ in range(ITERATIONS):
        expected = probability[link]
        expected /= np.bincount(cell, expected)[cell]
        counts = np.bincount(link, expected)
        probability = counts / np.bincount(source, counts)[source]
    return coo_array((probability, (source, target)), (source_size, target_size))


def _most_likely(table: coo_array, count: int) -> Int[np.ndarray, "sources count"]:
    """Of each source word the most likely target words; PAD where there are fewer."""
    order = np.lexsort((table.col, -table.data, table.row))
    source, target = table.row[order], table.col[order]
    rank = np.arange(len(source)) - np.searchsorted(source, source)
    best = np.full((table.shape[0], count), PAD, np.int32)
    kept = rank < count
    best[source[kept], rank[kept]] = target[kept]
    return best


def _cells(
    source: EncodedTexts, target: EncodedTexts, target_size: int
) -> tuple[Int[np.ndarray, " cells"], Int[np.ndarray, " cells"]]:
    """For each word of a sentence and each of its translation: both as one number, and which
    occurrence of a target word it is."""
    # Of each sentence, in front of its words, PAD: the source of what nothing is the source of.
    before = source.offsets
    with_none = np.insert(source.tokens, before[:-1], PAD)
    sentence = np.repeat(np.arange(len(source)), target.lengths)
    sources = EncodedTexts(with_none, before + np.arange(len(before))).take(sentence)
    cell = np.repeat(np.arange(len(sentence)), sources.lengths)
    return sources.tokens * np.int64(target_size) + target.tokens[cell], cell
