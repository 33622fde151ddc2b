"""Attention without positions: a query reads a summary of fixed size.

The cost of a step does not depend on the sentence's length, no position has a weight, and no span
applies.
"""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree

from fa_jax.attention.params import Params
from fa_jax.attention.score import Kernels, Sizes


class Summary:
    """What a sentence comes to. Subclasses are frozen dataclasses: their settings.

    params is the attention's entry "score", as a score's is.
    """

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        """Its parameters."""
        return {}

    def kernels(self, params: Params) -> Kernels:
        """What multiplies query [H, Q] and feedback [E, Q]; None: it is not read."""
        return None, None

    def summarize(
        self, params: Params, annotations: Float[Array, "B S D"], lengths: Int[Array, " B"]
    ) -> PyTree:
        """The sentence, in a size that does not depend on its length; leaves [B, ...]."""
        return ()

    def read(
        self, params: Params, query: Float[Array, "B K Q"], summary: PyTree, size: int
    ) -> Float[Array, "B K D"]:
        """The context. size: D."""
        raise NotImplementedError


@dataclass(frozen=True)
class NoAttention(Summary):
    """The decoder sees the source in its first state alone: the context is zero."""

    def read(
        self, params: Params, query: Float[Array, "B K Q"], summary: PyTree, size: int
    ) -> Float[Array, "B K D"]:
        return jnp.zeros((*query.shape[:2], size), query.dtype)
