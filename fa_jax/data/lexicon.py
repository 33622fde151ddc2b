"""Likely translations of words, learnt by alignment (IBM model 1, Brown et al. 1993).

In numpy: the aligners on the registry need a C compiler (eflomal) or hours (nltk's IBMModel1 keeps
each pair of words in nested dictionaries).
"""

import numpy as np
from jaxtyping import Float, Int

from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.vocabulary import PAD

ITERATIONS = 5
PAIRS_OF_WORDS = 40_000_000
"""Read at most (2 GB at work)."""
Links = tuple[Int[np.ndarray, " links"], Int[np.ndarray, " links"], Float[np.ndarray, " links"]]
"""Source words, target words, and how likely the one writes the other."""


def learn_lexicon(
    pairs: EncodedPairs,
    source_size: int,
    target_size: int,
    translations: int,
    pairs_of_words: int = PAIRS_OF_WORDS,
) -> Int[np.ndarray, "source_size translations"]:
    """Each source word's most likely target words, best first; PAD where there are fewer.

    Expectation maximisation: a target word is written by one word of its source sentence, or by
    none (here PAD), with probability t(target word | source word).

    Args:
      source_size, target_size: numbers of words in the vocabularies.
      pairs_of_words: of pairs that have more, sentences drawn at random, the same each time.
    """
    source, target, probability = likely_links(pairs, target_size, pairs_of_words)
    order = np.lexsort((target, -probability, source))
    source, target = source[order], target[order]
    rank = np.arange(len(source)) - np.searchsorted(source, source)
    lexicon = np.full((source_size, translations), PAD, np.int32)
    kept = rank < translations
    lexicon[source[kept], rank[kept]] = target[kept]
    return lexicon


def likely_links(
    pairs: EncodedPairs, target_size: int, pairs_of_words: int = PAIRS_OF_WORDS
) -> Links:
    """t(target word | source word) of all words that stand in one sentence pair; PAD is the source
    of what nothing is the source of. Arguments as of `learn_lexicon`."""
    rows = np.random.default_rng(0).permutation(len(pairs.source))
    counts = (pairs.source.lengths + 1) * pairs.target.lengths
    fitting = np.searchsorted(np.cumsum(counts[rows]), pairs_of_words, side="right")
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
    return source, target, probability


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
