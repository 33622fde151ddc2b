"""Global attention: every position counts alike (VS Eq. 2)."""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from fa_jax.attention.params import Params
from fa_jax.attention.span import AttentionState, Reach, Span, inside


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
        lengths: Int[Array, " B"],
        positions: Float[Array, " S"],
        threshold: float | Float[Array, ""],
    ) -> Reach:
        everything = jnp.ones((*state.focus.shape, len(positions)), bool)
        window = inside(everything, state.focus, lengths)
        return Reach(window, 0.0, 1.0, jnp.zeros_like(state.focus))
