"""Scores of kept translations of the test set: of single sentences, and between two runs.

An unknown word counts as one word, as it does in `fa_jax.evaluation.scores`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from experiments.measuring.records import translations
from experiments.measuring.study_run import StudyRun
from fa_jax.data.corpora import load_corpus
from fa_jax.data.tokenizers import Words
from fa_jax.data.vocabulary import SPECIAL, UNKNOWN
from fa_jax.evaluation.metrics.sacrebleu import bleu_tokenizer
from fa_jax.evaluation.scores import UNKNOWN_SYMBOL
from fa_jax.evaluation.smoothed_bleu import smoothed_sentence_bleu

SAMPLES = 1000
"""Of the bootstrap."""


def p_value(reference: tuple[StudyRun, float], other: tuple[StudyRun, float]) -> float:
    """Is a difference in BLEU more than the choice of sentences? Paired bootstrap (Koehn 2004).

    Each run's kept translations at a threshold; both of one corpus. It is sacrebleu's, with a fixed
    seed, and says nothing of the noise of training.
    """
    texts = (tuple(scored_texts(*of)) for of in (reference, other))
    return _p_value(_bleu(reference[0].corpus, reference[0].languages), *texts)


@cache
def _p_value(metric: BLEU, *texts: tuple[str, ...]) -> float:
    """Tables and sentences ask for the same."""
    before, after = texts
    if before == after:  # sacrebleu would call it significant
        return 1.0
    named = [("reference", list(before)), ("other", list(after))]
    _, scores = PairedTest(named, {"BLEU": metric}, None, test_type="bs", n_samples=SAMPLES)()
    return float(scores["BLEU"][1].p_value)


def sentence_bleu(run: StudyRun, threshold: float) -> list[float]:
    """Smoothed BLEU of each kept translation, 0 to 100, on words."""
    split = Words(_target(run.languages)).tokenize
    return [
        smoothed_sentence_bleu(split(text), split(reference))
        for text, reference in zip(
            scored_texts(run, threshold), references(run.corpus, run.languages), strict=True
        )
    ]


def bleu_of_sentences(run: StudyRun, threshold: float, places: Sequence[int]) -> float:
    """BLEU, 0 to 100, of the kept translations of some sentences of the test set together."""
    pairs = zip(scored_texts(run, threshold), references(run.corpus, run.languages), strict=True)
    chosen = [pair for place, pair in enumerate(pairs) if place in set(places)]
    texts, wanted = zip(*chosen, strict=True)
    return _metric(run.languages).corpus_score(texts, [wanted]).score


@dataclass(frozen=True)
class Written:
    """length: words of the translations ÷ words of the references; below 1 BLEU has a penalty.
    precise_bleu: BLEU without the penalty, 0 to 100."""

    length: float
    precise_bleu: float


def written(run: StudyRun, threshold: float) -> Written:
    """How long the kept translations are, and what they would score were it long enough."""
    metric = _bleu(run.corpus, run.languages)
    score = metric.corpus_score(scored_texts(run, threshold), None)
    return Written(score.sys_len / score.ref_len, score.score / score.bp)


def scored_texts(run: StudyRun, threshold: float) -> list[str]:
    """Kept translations, one symbol for each unknown word."""
    symbol = f" {UNKNOWN_SYMBOL} "
    return [text.replace(SPECIAL[UNKNOWN], symbol) for text in translations(run, threshold)]


@cache
def references(corpus: str, languages: str) -> Sequence[str]:
    """Of the test set."""
    return [target for _, target in load_corpus(corpus, languages).test]


@cache
def _bleu(corpus: str, languages: str) -> BLEU:
    """With the references' n-grams counted once."""
    return _metric(languages, references=[references(corpus, languages)])


def _metric(languages: str, **options: Any) -> BLEU:
    """It has no warning of tokenized text: an unknown word has spaces around it, so that a period
    may stand alone."""
    return BLEU(tokenize=bleu_tokenizer(_target(languages)), force=True, **options)


def _target(languages: str) -> str:
    return languages.split("-")[1]
