"""BLEU of kept translations of the test set, by the length of the source."""

import math
from functools import cache

import numpy as np

from experiments.measuring.kept_translations import bleu_of_sentences
from experiments.measuring.study_run import StudyRun
from experiments.tables.fifths import fifths
from fa_jax.data.corpora import load_corpus
from fa_jax.data.tokenizers import Words


def mean_lengths(run: StudyRun) -> list[float]:
    """Words of a source, on average, of each fifth of the test set, the shortest first."""
    lengths = _lengths(run.corpus, run.languages)
    return [float(np.mean([lengths[place] for place in group])) for group in _groups(run)]


def bleu_by_length(run: StudyRun) -> list[float]:
    """0 to 100, of each fifth, at τ = ∞."""
    return [bleu_of_sentences(run, math.inf, group.tolist()) for group in _groups(run)]


def _groups(run: StudyRun) -> list[np.ndarray]:
    """Places of sentences in the test set."""
    return fifths(np.array(_lengths(run.corpus, run.languages)))


@cache
def _lengths(corpus: str, languages: str) -> list[int]:
    split = Words(languages.split("-")[0]).tokenize
    return [len(split(source)) for source, _ in load_corpus(corpus, languages).test]
