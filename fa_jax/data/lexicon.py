"""Likely translations of words, learnt by alignment (IBM model 1, Brown et al. 1993).

In numpy: the aligners on the registry need a C compiler (eflomal) or hours (nltk's IBMModel1 keeps
each pair of words in nested dictionaries).
"""

import numpy as np
from jaxtyping import Int

from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.vocabulary import PAD

ITERATIONS = 5
PAIRS_OF_WORDS = 40_000_000
"""Read at most: the first sentences that have no more (2 GB at work)."""


def learn_lexicon(
    pairs: EncodedPairs, source_size: int, target_size: int, translations: int
) -> Int[np.ndarray, "source_size translations"]:
    """Each source word's most likely target words, best first; PAD where there are fewer.

    Expectation maximisation: a target word is written by one word of its source sentence, or by
    none (here PAD), with probability t(target word | source word).
    """
    pair, cell = _cells(pairs, target_size)
    links, link = np.unique(pair, return_inverse=True)
    source, target = np.divmod(links, target_size)
    probability = np.ones(len(links))
    for _ in range(ITERATIONS):
        expected = probability[link]
        expected /= np.bincount(cell, expected)[cell]
        counts = np.bincount(link, expected)
        probability = counts / np.bincount(source, counts)[source]
    order = np.lexsort((target, -probability, source))
    source, target = source[order], target[order]
    rank = np.arange(len(source)) - np.searchsorted(source, source)
    lexicon = np.full((source_size, translations), PAD, np.int32)
    kept = rank < translations
    lexicon[source[kept], rank[kept]] = target[kept]
    return lexicon


def _cells(
    pairs: EncodedPairs, target_size: int
) -> tuple[Int[np.ndarray, " cells"], Int[np.ndarray, " cells"]]:
    """For each word of a sentence and each of its translation: both as one number, and which
    occurrence of a target word it is."""
    source_lengths, target_lengths = pairs.source.lengths, pairs.target.lengths
    read = int(np.searchsorted(np.cumsum((source_lengths + 1) * target_lengths), PAIRS_OF_WORDS))
    # Of each sentence, in front of its words, PAD: the source of what nothing is the source of.
    before = pairs.source.offsets[:read]
    with_none = np.insert(_words(pairs.source, read), before, PAD).astype(np.int64)
    begins = before + np.arange(read)
    target = _words(pairs.target, read).astype(np.int64)
    sentence = np.repeat(np.arange(read), target_lengths[:read])
    repeats = source_lengths[:read][sentence] + 1
    cell = np.repeat(np.arange(len(target)), repeats)
    first = np.cumsum(repeats) - repeats
    place = begins[sentence][cell] + np.arange(len(cell)) - first[cell]
    return with_none[place] * target_size + target[cell], cell


def _words(texts: EncodedTexts, count: int) -> Int[np.ndarray, " words"]:
    return np.asarray(texts.tokens[: texts.offsets[count]])
