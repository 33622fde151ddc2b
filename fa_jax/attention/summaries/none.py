"""No attention at all (the baseline of Luong et al. 2015)."""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from fa_jax.attention.params import Params
from fa_jax.attention.summary import Summary


@dataclass(frozen=True)
class NoAttention(Summary):
    """The decoder sees the source in its first state alone: the context is zero."""

    def read(
        self, params: Params, query: Float[Array, "B K Q"], summary: PyTree, size: int
    ) -> Float[Array, "B K D"]:
        return jnp.zeros((*query.shape[:2], size), query.dtype)
