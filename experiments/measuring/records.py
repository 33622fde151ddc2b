"""What is recorded of the study's runs. Nothing here trains, translates or writes.

Of each run `records/runs/NAME.json` holds the command, the course of training and the scores of
its translations: `record["test"]["1.2"]`. Of the test set the translations are kept, too.
"""

import json
import math
from pathlib import Path
from typing import Any

from experiments.measuring.folders import RECORDS
from experiments.measuring.study_run import StudyRun
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import Candidate, choose, thresholds_for

LEARNT_IN = "learnt_in"
"""A record's key for the τ of the windows that the run learnt in; not there if in none."""
HALF_A_BLEU = "half_a_bleu"
"""A record's key for the threshold of the narrowest windows that cost so little there."""
ORDER, SHARE = "order", 0.4
"""A record's key for the threshold whose windows have this share of the source there."""


RECIPE = "Muon"
"""What a record of today's recipe is marked with. One without it was trained with Adam and led
along the diagonal; nothing of it is read."""


def candidates(run: StudyRun) -> tuple[float, ...]:
    """Thresholds of which a run's own is selected, on the development set: τ = ∞ is the first."""
    learnt = record_of(run).get(LEARNT_IN, math.inf)
    return (math.inf, *reversed(thresholds_for(learnt)))


def record_path(run: StudyRun) -> Path:
    """Where what was measured of the run is kept."""
    return RECORDS / "runs" / f"{run.name}.json"


def record_of(run: StudyRun) -> dict[str, Any]:
    """All that was measured of the run by today's recipe; empty if nothing was."""
    path = record_path(run)
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found if found.get("recipe") == RECIPE else {}


def recorded(run: StudyRun, threshold: float = math.inf, split: str = "test") -> dict[str, Any]:
    """What the run's translations of a split at a threshold scored.

    Returns:
      `bleu` (0 to 100), `ribes` (0 to 1), `window` and `source_length` (tokens), and more.

    Raises:
      UserError: that was not measured.
    """
    try:
        return record_of(run)[split][shown(threshold)]
    except KeyError as missing:
        raise UserError(
            f"{split} at threshold {shown(threshold)} was not measured of {run.name}: "
            "python -m experiments.report measures what is missing"
        ) from missing


def translations_path(run: StudyRun, threshold: float) -> Path:
    """Where the run's translations of the test set are kept, one a line."""
    return RECORDS / "translations" / run.name / f"test.{shown(threshold)}.txt"


def translations(run: StudyRun, threshold: float) -> list[str]:
    """Of the test set, one a sentence."""
    return translations_path(run, threshold).read_text(encoding="utf-8").splitlines()


def shown(threshold: float) -> str:
    """A threshold's name in records and files: `1.2`, `inf`."""
    return f"{threshold:g}"


def saved(scores: dict[str, Any]) -> float:
    """Share of the positions that were not scored, of those that the same calls could have."""
    return 1 - scores["window"] / scores["source_length"]


def selected(run: StudyRun) -> float:
    """The threshold that a run of documents learnt with, or that of the smallest window that loses
    at most 0.5 development BLEU against the same run's τ = ∞ (VS 5.2).

    Raises:
      UserError: the run's development set was not decoded at all of its `candidates`.
    """
    if learnt := record_of(run).get("threshold"):
        return learnt
    scores = [(t, recorded(run, t, "validation")) for t in candidates(run)]
    tried = [Candidate("", t, of["bleu"], of["window"]) for t, of in scores]
    return choose(tried).chosen.threshold


def windowed(run: StudyRun) -> float:
    """The selected threshold, or the largest of those tried where none is good enough."""
    threshold = selected(run)
    return max(candidates(run)[1:]) if math.isinf(threshold) else threshold
