"""Scores for a reader."""

import sys
from collections.abc import Callable
from itertools import islice
from typing import Any

import jax

import fa_jax
from fa_jax.counted import counted
from fa_jax.evaluation.scores import shown_scores
from fa_jax.terminal import say

EXAMPLES = 5
"""Test translations shown after training."""


def train_and_score(train: Callable[[], Any]):
    """Prints what a run that `train` returns makes of the test set.

    Raises:
      SystemExit: training was stopped and has saved itself; 128 and the signal's number.
    """
    from fa_jax.training.loop import Interrupted

    try:
        run = train()
    except Interrupted as interruption:
        number, step = interruption.args
        print(f"stopped and saved at step {step}; the same command continues", file=sys.stderr)
        raise SystemExit(128 + number) from None
    say("scoring the test set, and writing the report")
    found = fa_jax.score_test(run)
    if jax.process_index() > 0:
        return
    page = fa_jax.report(run)
    for evaluation in found.values():
        print(summary(evaluation.scores, run.config.decoding.threshold))
    print(f"\nreport: {page}")
    print(f"\n{EXAMPLES} test sentences (source, translation, reference):")
    rows = zip(evaluation.pairs, evaluation.translations, strict=True)
    for (source, reference), translation in islice(rows, EXAMPLES):
        print(f"\n  {source}\n  {translation}\n  {reference}")


def summary(scores: dict[str, Any], own: float) -> str:
    """A split's scores, on several lines. own: the run's threshold, which is marked."""
    mark = " (the run's own)" if scores["threshold"] == own else ""
    saved = 1 - scores["window"] / max(scores["source_length"], 1e-9)
    shown = shown_scores(scores)
    if "perplexity" in scores:
        shown = {"perplexity": (f"{scores['perplexity']:.2f}", ""), **shown}
    lines = [
        f"\nthreshold {scores['threshold']:g}{mark}, beam {scores['beam_size']}, "
        f"{counted(scores['sentences'], 'sentence')} in {scores['seconds']:.1f} s, "
        "compilation included",
        *(f"  {label:16} {text:>6}   {sign}".rstrip() for label, (text, sign) in shown.items()),
        f"  {'window':16} {scores['window']:6.2f}   of {scores['source_length']:.2f} source tokens "
        f"a step ({saved:.0%} not scored)",
        f"  {'sentence':16} {scores['mean_source_tokens']:6.2f}   source tokens on average; a long "
        "one has more of the steps",
    ]
    return "\n".join(lines)
