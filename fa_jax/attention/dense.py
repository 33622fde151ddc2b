"""A step computed at every position: no gather, and gradients as cheap as the scores."""

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PyTree


def compute(window: Bool[Array, "B K S"], step: Callable[..., PyTree]) -> PyTree:
    """`step(at_positions, context)`, in the window or not."""
    return step(at_positions, context)


def at_positions(
    function: Callable[..., PyTree],
    of_queries: PyTree,
    of_sentences: PyTree,
    of_positions: PyTree,
) -> PyTree:
    """`function(of_queries [B,K,...], of_sentences [B,S,...], of_positions [B,K,S,...])`.

    Its leaves are [B, K, S, ...].
    """
    return function(of_queries, of_sentences, of_positions)


def context(
    weights: Float[Array, "B K S *D"], annotations: Float[Array, "B S D"]
) -> Float[Array, "B K D"]:
    """`Σ_s a(s) h̄_s` (VS Eq. 1; FG Eq. 9 where each dimension has its own weights)."""
    product = "bksd,bsd->bkd" if weights.ndim == 4 else "bks,bsd->bkd"
    return jnp.einsum(product, weights, annotations)
