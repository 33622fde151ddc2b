"""The list of blocks that the windows of a step touch, chunk by chunk; it is never written down.

A row is one query of one sentence.
"""

from collections.abc import Callable

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int

from fa_jax.attention.span import Reach

BLOCK = 8
"""Positions taken together."""
FEWEST_BLOCKS = 16
"""Of a chunk; where there are more rows it has a block for each."""


@struct.dataclass
class Chunk:
    """Which block stands in which slot of a chunk of the list.

    row, sentence: whose block a slot holds. position: of its elements, clipped to the padded
    length. inside: whether they belong to the row's window.
    """

    row: Int[Array, " C"]
    sentence: Int[Array, " C"]
    position: Int[Array, "C block"]
    inside: Bool[Array, "C block"]


def chunks_of(
    reach: Reach, length: int
) -> tuple[Int[Array, ""], Callable[[Int[Array, ""] | int], Chunk]]:
    """How many chunks there are, and a function from a chunk's number to what it holds."""
    sentences, queries = reach.first.shape
    rows = sentences * queries
    first, last = reach.first.reshape(-1), reach.last.reshape(-1)
    first_block = first // BLOCK
    count = jnp.where(first <= last, last // BLOCK - first_block + 1, 0)
    ends = jnp.cumsum(count)
    size = min(max(rows, FEWEST_BLOCKS), rows * -(-length // BLOCK))

    def chunk(number: Int[Array, ""] | int) -> Chunk:
        slot = number * size + jnp.arange(size)
        row = jnp.searchsorted(ends, slot, side="right", method="compare_all")
        row = jnp.minimum(row, rows - 1)
        block = first_block[row] + slot - (ends - count)[row]
        position = block[:, None] * BLOCK + jnp.arange(BLOCK)[None]
        inside = (position >= first[row, None]) & (position <= last[row, None])
        inside &= (slot < ends[-1])[:, None]
        return Chunk(row, row // queries, jnp.clip(position, 0, length - 1), inside)

    return -(-ends[-1] // size), chunk


def rows_of(x: Array) -> Array:
    """[B, K, ...] to [N, ...]."""
    return x.reshape(-1, *x.shape[2:])
