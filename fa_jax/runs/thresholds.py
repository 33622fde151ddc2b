"""Chooses a threshold, by what its windows cost or how wide they are, on the validation set."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from numbers import Real

from fa_jax.errors import UserError
from fa_jax.evaluation.selection import (
    LARGEST_LOSS,
    Candidate,
    Selection,
    check_loss,
    choose,
    thresholds_for,
)
from fa_jax.finetuning_settings import check_narrows
from fa_jax.runs.evaluate import evaluate
from fa_jax.runs.run import Run, check_run, checked_runs

NARROWEST, WIDEST = 1e-4, 1e3
"""Thresholds that are tried."""
EXACT = 0.03
"""How near the logarithm of a threshold is found: a window of about half as much."""
SMALLEST, LARGEST = 0.02, 8.0
"""Thresholds whose BLEU is looked at: beyond the largest, less than e^-8 of a weight is left."""
HALVINGS = 6
"""Of the distance between their logarithms: thresholds are found to a tenth."""
SHOWN_BESIDE_BLEU = ("chrf", "ter")
"""By `select`, which chooses by BLEU."""


def select(
    runs: Run | Sequence[Run],
    thresholds: Iterable[float] = (),
    largest_loss: float = LARGEST_LOSS,
) -> Selection:
    """Chooses the smallest window that costs little BLEU on the validation set. Writes nothing.

    Args:
      runs: one, or several of the same text and tokens, such as ones with another σ or β.
      thresholds: τ to choose from, beside ∞ of the first run; default: the paper's 0.8 to 1.6, and
        that of the windows that a run learnt in.
      largest_loss: BLEU that the window may cost, against the first run at τ = ∞.

    Returns:
      Every candidate, the chosen one, and the first run's BLEU at τ = ∞.

    Raises:
      UserError: no run, runs that cannot be compared, a threshold or loss that cannot be.

    >>> selection = fa_jax.select(fa_jax.load_run("en-ja"), [0.8, 1.2])  # doctest: +SKIP
    >>> selection.chosen.threshold  # doctest: +SKIP
    1.2
    """
    runs, thresholds = checked_runs(runs), [*thresholds]
    check_loss(largest_loss)
    if wrong := [t for t in thresholds if not (isinstance(t, Real) and t > 0)]:
        raise UserError(f"thresholds must be greater than 0, got {wrong[0]!r}")
    for run, setting in itertools.product(runs[1:], ("corpus", "languages", "tokenizer")):
        wanted, found = (getattr(r.config.data, setting) for r in (runs[0], run))
        if wanted != found:
            raise UserError(
                f"{run.folder} was trained with {setting} {found!r}, {runs[0].folder} with "
                f"{wanted!r}: choose among runs of the same text and tokens"
            )

    asked = [
        (run, threshold)
        for run in runs
        for threshold in thresholds or thresholds_for(run.config.training.learnt_threshold)
    ]
    tried = dict.fromkeys([(runs[0], math.inf), *asked])  # each once
    return choose([candidate(*one, SHOWN_BESIDE_BLEU) for one in tried], largest_loss)


def narrowest_windows(run: Run, largest_loss: float = LARGEST_LOSS) -> Selection:
    """Finds the narrowest windows that cost a run little BLEU, on the validation set.

    Thresholds are halved between, as if BLEU always rose with them. So windows are found that cost
    no more than was said, and that cost more when they are a little narrower.

    Args:
      run: with a flexible span.
      largest_loss: BLEU that windows may cost, against all positions scored.

    Returns:
      All that was tried, by falling threshold, first τ = ∞. What was chosen may be τ = ∞.

    Raises:
      UserError: a loss below 0, or the run's corpus is not there.

    >>> found = fa_jax.narrowest_windows(fa_jax.load_run("runs/en-ja-small"))  # doctest: +SKIP
    >>> fa_jax.set_threshold("runs/en-ja-small", found.chosen.threshold)  # doctest: +SKIP
    """
    check_run(run)
    check_narrows(run.config)
    check_loss(largest_loss)
    found = [candidate(run, math.inf)]
    reference = found[0].bleu
    low, high = math.log(SMALLEST), math.log(LARGEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found.append(candidate(run, math.exp(middle)))
        if found[-1].bleu < reference - largest_loss:
            low = middle
        else:
            high = middle
    return choose(sorted(found, key=lambda tried: -tried.threshold), largest_loss)


def candidate(run: Run, threshold: float, others: Sequence[str] = ()) -> Candidate:
    """The run at a threshold, as the validation set has it. others: metrics beside BLEU."""
    decoding = replace(run.config.decoding, threshold=threshold)
    scores = evaluate(run, "validation", decoding, metrics=("bleu", *others)).scores
    shown = {name: scores[name] for name in others}
    return Candidate(str(run.folder), threshold, scores["bleu"], scores["window"], shown)


def threshold_for_window(run: Run, window: float) -> float:
    """Finds the threshold (τ) whose windows have this share of the source, on the validation set.

    Args:
      run: with a flexible span.
      window: share of the source's positions that are scored, above 0 and at most 1. Of a run that
        reads documents whole, it is a share of a line's positions, on average.

    Returns:
      τ, to be handed to `set_threshold`.

    Raises:
      UserError: it is no such share, or no threshold has such windows; the message says which are
        the narrowest.

    >>> run = fa_jax.load_run("runs/en-ja-small")  # doctest: +SKIP
    >>> fa_jax.threshold_for_window(run, 0.4)  # doctest: +SKIP
    0.31
    """
    check_run(run)
    check_narrows(run.config)
    check_window(window)
    from scipy.optimize import brentq  # a quarter of a second that no other command need wait

    ends = math.log(NARROWEST), math.log(WIDEST)
    share = cache(lambda logarithm: window_share(run, math.exp(logarithm)))
    if share(ends[0]) > window:
        raise UserError(
            f"windows of {window:g} of the source cannot be had with {run.folder}: the narrowest "
            f"have {share(ends[0]):.2f} of it, because a window always holds the focus"
        )
    if share(ends[1]) <= window:  # all of it, but for rounding
        return WIDEST
    return math.exp(brentq(lambda place: math.log(share(place) / window), *ends, xtol=EXACT))


def check_window(window: float):
    """Raises UserError unless it is a share of the source."""
    if not 0 < window <= 1:
        raise UserError(f"a window is a share of the source, such as 0.4 for 40%; got {window:g}")


def window_share(run: Run, threshold: float) -> float:
    """What a search of the validation set scores, as a share of what it would at τ = ∞.

    It has the run's own beam: windows of greedy search were a tenth wider on a text.
    """
    decoding = replace(run.config.decoding, threshold=threshold)
    scores = evaluate(run, "validation", decoding, metrics=()).scores
    # Of documents a share of a line: their calls are not told line by line.
    of_line = "mean_source_tokens" if run.config.data.documents else "source_length"
    return scores["window"] / scores[of_line]
