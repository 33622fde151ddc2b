"""Global attention: every position counts alike (VS Eq. 2)."""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.span import AttentionState, Reach, Span


@dataclass(frozen=True)
class Global(Span):
    """The whole sentence."""

    def narrows(self, threshold: float | Float[Array, ""]) -> bool:
        return False

    def reach(
        self,
        params: Params,
        projected: None,
        state: AttentionState,
        memory: Memory,
        threshold: float | Float[Array, ""],
        training_keys: Key[Array, " B"] | None,
    ) -> Reach:
        zeros = jnp.zeros_like(state.step)
        return Reach(zeros, zeros + memory.lengths[:, None] - 1)
