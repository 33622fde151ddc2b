"""Sentences chunk by chunk, so that a program reads no more of its padding than it must.

How many chunks there are is known when the program runs: one program serves short and long
sentences, and its cost follows the longest of those at hand.
"""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, PyTree

CHUNK = 16
"""Positions that are read together."""


def chunk_size(length: int) -> int:
    """Positions of a chunk; whole chunks make up the padded length."""
    return math.gcd(length, CHUNK)


def chunk_of(x: PyTree, number: Int[Array, ""], axis: int = 1) -> PyTree:
    """The chunk of that number, of leaves that have positions along the axis."""

    def cut(leaf: Array) -> Array:
        size = chunk_size(leaf.shape[axis])
        return jax.lax.dynamic_slice_in_dim(leaf, number * size, size, axis)

    return jax.tree.map(cut, x)


def with_chunk(x: PyTree, number: Int[Array, ""], chunk: PyTree, axis: int = 1) -> PyTree:
    """With its chunk of that number replaced."""

    def put(leaf: Array, part: Array) -> Array:
        first = number * part.shape[axis]
        return jax.lax.dynamic_update_slice_in_dim(leaf, part, first, axis)

    return jax.tree.map(put, x, chunk)


def in_chunks(
    function: Callable[[PyTree], PyTree], x: PyTree, longest: Int[Array, ""] | None
) -> PyTree:
    """What a function makes of each position, leaves [B, S, ...]: of those before `longest`, 0
    behind them; None: of all at once.

    function: of some positions, each by itself. x: leaves [B, S, ...].
    """
    if longest is None:
        return function(x)
    length = jax.tree.leaves(x)[0].shape[1]
    like = jax.eval_shape(function, x)
    nothing = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), like)

    def add(number: Int[Array, ""], found: PyTree) -> PyTree:
        return with_chunk(found, number, function(chunk_of(x, number)))

    return jax.lax.fori_loop(0, chunks(longest, length), add, nothing)


def chunks(longest: Int[Array, ""], length: int) -> Int[Array, ""]:
    """How many chunks hold the positions before `longest`. length: padded."""
    return jax.lax.div(longest + chunk_size(length) - 1, chunk_size(length))
