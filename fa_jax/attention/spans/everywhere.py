"""Global attention: every position counts alike (VS Eq. 2)."""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float

from fa_jax.attention.span import Reach, Span
from fa_jax.attention.step import Step


@dataclass(frozen=True)
class Global(Span):
    """The whole sentence."""

    def narrows(self, threshold: float | Float[Array, ""]) -> bool:
        return False

    def reach(self, step: Step) -> Reach:
        zeros = jnp.zeros_like(step.state.step)
        return Reach(zeros, zeros + step.memory.lengths[:, None] - 1)
