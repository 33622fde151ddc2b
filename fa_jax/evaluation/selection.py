"""The choice of the threshold: the smallest window that costs little BLEU.

The rule of Shu and Nakayama (2017; VS), section 5.2.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fa_jax.errors import UserError
from fa_jax.evaluation.scores import shown_scores

THRESHOLDS = (0.8, 1.0, 1.2, 1.4, 1.6)
"""Values of τ that are tried (VS 5.2)."""
NARROW = 1.2
"""τ at which windows are shown where sentences are short (VS 5.2)."""
LARGEST_LOSS = 0.5
"""BLEU, 0 to 100, that a threshold may cost on the development set (VS 5.2)."""


@dataclass(frozen=True)
class Candidate:
    """A run decoded at a threshold: its folder, BLEU (0 to 100) on the development set, and window,
    an average in source tokens. others: scores by other metrics, which choose nothing."""

    run: str
    threshold: float
    bleu: float
    window: float
    others: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Selection:
    """candidates: all that were tried, first the one at τ = ∞ that others are compared with.

    chosen: the one with the smallest window that loses little. reference: BLEU at τ = ∞.
    """

    candidates: tuple[Candidate, ...]
    chosen: Candidate
    reference: float

    def __str__(self) -> str:
        """What was tried, a line a candidate, for a reader. A run has the name of its folder."""
        heads = ["run", "threshold", "BLEU", "(loss)", "window"]
        rows = [[*heads, *shown_scores(self.candidates[0].others)]]
        for one in self.candidates:
            loss, others = self.reference - one.bleu, shown_scores(one.others).values()
            numbers = f"{one.threshold:g}", f"{one.bleu:.2f}", f"({loss:.2f})", f"{one.window:.2f}"
            rows.append([Path(one.run).name, *numbers, *(text for text, _ in others)])
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["".join(f"  {cell:>{width}}" for cell, width in zip(row, widths)) for row in rows]
        lines[1 + self.candidates.index(self.chosen)] += "  <- chosen"
        return "\n".join(lines)


def shown_in_windows(learnt: float) -> float:
    """τ at which a run's windows are shown, where nobody chose one: `NARROW`, or that of the
    windows that it learnt in, which long sentences have wider. learnt: their τ; ∞: in none."""
    return learnt if NARROW < learnt < math.inf else NARROW


def thresholds_for(learnt: float) -> tuple[float, ...]:
    """τ that are tried of a run: `THRESHOLDS`, and that of the windows that it learnt in."""
    return (*THRESHOLDS, *[learnt] * (learnt not in (*THRESHOLDS, math.inf)))


def check_loss(largest_loss: float):
    """Raises UserError where no windows cost so little."""
    if not largest_loss >= 0:
        raise UserError(f"largest_loss (in BLEU) must be at least 0; got {largest_loss:g}")


def choose(candidates: Sequence[Candidate], largest_loss: float = LARGEST_LOSS) -> Selection:
    """The candidate with the smallest window that loses at most so much BLEU against the first."""
    reference = candidates[0].bleu
    kept = [candidate for candidate in candidates if candidate.bleu >= reference - largest_loss]
    chosen = min(kept, key=lambda candidate: (candidate.window, -candidate.bleu))
    return Selection(tuple(candidates), chosen, reference)
