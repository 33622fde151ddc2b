"""Which number of a translation says best how good it is, without a reference?

Each is a mean over a sentence's tokens, end of sentence included, or that of its worst token.
Correlations with the sentence's chrF, on the test sets of two corpora. A sum of all numbers, fitted
on the development set, says what they know together.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Float
from sacrebleu.metrics import CHRF
from scipy.stats import kendalltau, pearsonr, spearmanr, zscore

import fa_jax
from experiments.benchmarks.report import Report
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.folders import RUNS
from experiments.measuring.study_run import TITLES, StudyRun
from experiments.measuring.wanted import train_or_load
from fa_jax.decoding.forced import Trace, trace_translations
from fa_jax.runs.run import Run
from fa_jax.runs.search import search_lines

GERMAN = StudyRun("tatoeba_de_en", "small")
RUN_OF = {"tatoeba_en_ja": Path("en-ja"), GERMAN.corpus: RUNS / GERMAN.folder}
THRESHOLD = 1.2
"""Of the windows: at the runs' own, ∞, each is the whole sentence."""
ALL = "all, fitted on the development set"
CORRELATIONS = {"Pearson": pearsonr, "Spearman": spearmanr, "Kendall": kendalltau}


def _margin(trace: Trace) -> list[float]:
    """Of log p over the likeliest other word."""
    steps = zip(trace.alternatives, trace.log_probs.tolist(), strict=True)
    return [p - (best[1] if best[1] < p else second[1]) for (best, second, *_), p in steps]


def _entropy(trace: Trace) -> Float[np.ndarray, " T"]:
    weights = np.maximum(trace.weights, 1e-9)
    return -(weights * np.log(weights)).sum(1)


OF_TOKENS: dict[str, Callable[[Trace], Sequence[float]]] = {
    "log p": lambda trace: trace.log_probs,
    "p": lambda trace: np.exp(trace.log_probs),
    "margin": _margin,
    "strength": lambda trace: trace.strength,
    "−window": lambda trace: -trace.windows.sum(1),
    "−entropy of the weights": lambda trace: -_entropy(trace),
    "highest weight": lambda trace: trace.weights.max(1),
    "−jump of the focus": lambda trace: -np.abs(np.diff(trace.focus, prepend=0)),
}
OF_SENTENCES = {"mean": np.mean, "worst": np.min}


def measure() -> Report:
    """A row for each number."""
    train_or_load(GERMAN)
    found = {TITLES[corpus]: _of_run(fa_jax.load_run(run)) for corpus, run in RUN_OF.items()}
    names = [*next(iter(found.values()))]
    rows = [
        {"number": name}
        | {f"{title}, {c}": r for title, of in found.items() for c, r in of[name].items()}
        for name in names
    ]
    return Report(
        "confidence",
        {"threshold_of_windows": THRESHOLD},
        rows,
        ["Higher is better. 1,000 sentences of each test set, found by beam search at τ = ∞."],
        question="which number says how good a translation is?",
        command="python -m experiments.confidence",
    )


def _of_run(run: Run) -> dict[str, dict[str, float]]:
    """Each number's correlations on the test set."""
    numbers, scores = _numbers(run, "validation")
    standard = np.column_stack([zscore(column) for column in numbers.values()])
    weights, *_ = np.linalg.lstsq(standard, scores - scores.mean(), rcond=None)
    numbers, scores = _numbers(run, "test")
    standard = np.column_stack([zscore(column) for column in numbers.values()])
    numbers[ALL] = standard @ weights
    return {
        name: {c: float(of(column, scores).statistic) for c, of in CORRELATIONS.items()}
        for name, column in numbers.items()
    }


def _numbers(run: Run, split: str) -> tuple[dict[str, Float[np.ndarray, " N"]], np.ndarray]:
    """Of each sentence of a split, and its chrF."""
    sources, references = zip(*run.pairs(split), strict=True)
    found = search_lines([run], sources, run.config.decoding)
    words = [result.hypotheses[0].words for result in found.results]
    in_windows = replace(run.config.decoding, threshold=THRESHOLD)
    whole = trace_translations(run.model, run.config.decoding, found.ids[0], words)
    windows = trace_translations(run.model, in_windows, found.ids[0], words, lambda t: t.windows)
    traces = [replace(t, windows=w) for t, w in zip(whole, windows, strict=True)]
    metric = CHRF()
    scores = [
        metric.sentence_score(text, [reference]).score
        for (text,), reference in zip(found.texts(), references, strict=True)
    ]
    return {
        f"{name}, {kind}": np.array([of_all(of_each(trace)) for trace in traces], np.float64)
        for name, of_each in OF_TOKENS.items()
        for kind, of_all in OF_SENTENCES.items()
    }, np.array(scores)


if __name__ == "__main__":
    measure_and_publish(measure)
