"""Sentences piece by piece, so that a program reads no more of its padding than it must.

How many pieces there are is known when the program runs: one program serves short and long
sentences, and its cost follows the longest of those at hand.
"""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, PyTree

PIECE = 16
"""Positions that are read together."""


def piece_size(length: int) -> int:
    """Positions of a piece; whole pieces make up the padded length."""
    return math.gcd(length, PIECE)


def piece_of(x: PyTree, number: Int[Array, ""], axis: int = 1) -> PyTree:
    """The piece of that number, of leaves that have positions along the axis."""

    def cut(leaf: Array) -> Array:
        size = piece_size(leaf.shape[axis])
        return jax.lax.dynamic_slice_in_dim(leaf, number * size, size, axis)

    return jax.tree.map(cut, x)


def with_piece(x: PyTree, number: Int[Array, ""], piece: PyTree, axis: int = 1) -> PyTree:
    """With its piece of that number replaced."""

    def put(leaf: Array, part: Array) -> Array:
        first = number * part.shape[axis]
        return jax.lax.dynamic_update_slice_in_dim(leaf, part, first, axis)

    return jax.tree.map(put, x, piece)


def in_pieces(
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
        return with_piece(found, number, function(piece_of(x, number)))

    return jax.lax.fori_loop(0, pieces(longest, length), add, nothing)


def pieces(longest: Int[Array, ""], length: int) -> Int[Array, ""]:
    """How many pieces hold the positions before `longest`. length: padded."""
    return jax.lax.div(longest + piece_size(length) - 1, piece_size(length))
