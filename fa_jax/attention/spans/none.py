"""No attention at all (the baseline of Luong et al. 2015)."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp

from fa_jax.attention.span import Reach, Span
from fa_jax.attention.step import Step


@dataclass(frozen=True)
class NoAttention(Span):
    """No position: the decoder sees the source in its first state alone."""

    scores_nothing: ClassVar[bool] = True

    def reach(self, step: Step) -> Reach:
        zeros = jnp.zeros_like(step.state.step)
        return Reach(zeros, zeros - 1)  # an empty window
