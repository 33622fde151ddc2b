"""The choice of the threshold: the smallest window that costs little BLEU.

The rule of Shu and Nakayama (2017; VS), section 5.2.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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


def choose(
    candidates: Iterable[Candidate], reference: float, largest_loss: float = LARGEST_LOSS
) -> Candidate | None:
    """The candidate with the smallest window that loses at most so much BLEU; None: all lose more.

    reference: BLEU at τ = ∞.
    """
    kept = [candidate for candidate in candidates if candidate.bleu >= reference - largest_loss]
    return min(kept, key=lambda candidate: (candidate.window, -candidate.bleu), default=None)


def table(candidates: Sequence[Candidate], chosen: Candidate | None, reference: float) -> str:
    """What was tried, a line a candidate, for a reader. reference: BLEU at τ = ∞."""
    width = max(len(candidate.run) for candidate in candidates)
    lines = [f"  {'run':{width}}  threshold   BLEU  (loss)   window"]
    for candidate in candidates:
        loss = reference - candidate.bleu
        mark = "  <- chosen" if candidate == chosen else ""
        lines.append(
            f"  {candidate.run:{width}}  {candidate.threshold:9g}  {candidate.bleu:5.2f}  "
            f"({loss:4.2f})  {candidate.window:7.2f}{mark}"
        )
    return "\n".join(lines)
