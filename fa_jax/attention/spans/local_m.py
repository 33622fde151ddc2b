"""Local attention that goes through source and target alike (Luong et al. 2015)."""

from dataclasses import dataclass

from fa_jax.attention.checks import check_positive
from fa_jax.attention.span import Reach, Span
from fa_jax.attention.step import Step
from fa_jax.attention.window import window_within


@dataclass(frozen=True)
class LocalM(Span):
    """`|s − t| ≤ D`: source and target are assumed to run alike."""

    half_width: int = 10
    """Positions on either side of the step's number (D)."""

    def __post_init__(self):
        check_positive(half_width=self.half_width)

    def reach(self, step: Step) -> Reach:
        centre = step.state.step.astype(step.state.focus.dtype)
        return Reach(*window_within(centre, self.half_width, step.memory.lengths))
