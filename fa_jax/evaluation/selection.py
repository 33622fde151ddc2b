"""The choice of the threshold: the smallest window that costs little BLEU.

The rule of Shu and Nakayama (2017; VS), section 5.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fa_jax.errors import UserError

THRESHOLDS = (0.8, 1.0, 1.2, 1.4, 1.6)
"""Values of τ that are tried (VS 5.2)."""
LARGEST_LOSS = 0.5
"""BLEU, 0 to 100, that a threshold may cost on the development set (VS 5.2)."""


@dataclass(frozen=True)
class Candidate:
    """A run decoded at a threshold: its name, BLEU (0 to 100) on the development set, and window,
    an average in source tokens."""

    run: str
    threshold: float
    bleu: float
    window: float


@dataclass(frozen=True)
class Selection:
    """candidates: all that were tried, first the one at τ = ∞ that others are compared with.

    chosen: the one with the smallest window that loses little. reference: BLEU at τ = ∞.
    """

    candidates: tuple[Candidate, ...]
    chosen: Candidate
    reference: float

    def __str__(self) -> str:
        """What was tried, a line a candidate, for a reader."""
        width = max(len(candidate.run) for candidate in self.candidates)
        lines = [f"  {'run':{width}}  threshold   BLEU  (loss)   window"]
        for candidate in self.candidates:
            loss = self.reference - candidate.bleu
            mark = "  <- chosen" if candidate == self.chosen else ""
            lines.append(
                f"  {candidate.run:{width}}  {candidate.threshold:9g}  {candidate.bleu:5.2f}  "
                f"({loss:4.2f})  {candidate.window:7.2f}{mark}"
            )
        return "\n".join(lines)


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
