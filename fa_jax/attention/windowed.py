"""A step computed inside the windows only, under static shapes.

Positions are taken in blocks. The blocks that each row's window touches are laid behind each
other in one packed list, so that the cost follows the SUM of the windows, not the widest. The
list's capacity must be static: it is chosen at each step from a few sizes. A row is one query of
one sentence.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.attention import dense

BLOCK = 8
"""Positions taken together."""
SHARES = (1 / 16, 1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 1.0)
"""Capacities of the packed list, as shares of all blocks."""
GATHERED_BELOW = 1 / 4
"""Contexts read packed annotations where these are at most so many for each annotation there is.

Several queries of a sentence share its annotations: above it one dense product is faster.
"""


@struct.dataclass
class Packed:
    """Which block stands in which slot of the packed list.

    row, sentence: whose block a slot holds. position: of its elements, clipped to the sentence.
    real: False behind the last block and beyond the padded length. shift: block b of a row stands
    in slot `shift + b`.
    """

    row: Int[Array, " C"]
    sentence: Int[Array, " C"]
    position: Int[Array, "C block"]
    real: Bool[Array, "C block"]
    shift: Int[Array, " N"]


def compute(window: Bool[Array, "B K S"], step: Callable[..., PyTree]) -> PyTree:
    """`step(at_positions, context)` over the smallest packed list that holds all windows."""
    sentences, queries, length = window.shape
    rows = sentences * queries
    first, count = _blocks_of_windows(window.reshape(rows, length))
    ends = jnp.cumsum(count)
    starts = ends - count

    def with_capacity(capacity: int) -> PyTree:
        slot = jnp.arange(capacity)
        row = jnp.minimum(
            jnp.searchsorted(ends, slot, side="right", method="compare_all"), rows - 1
        )
        block = first[row] + slot - starts[row]
        position = block[:, None] * BLOCK + jnp.arange(BLOCK)
        real = (slot < ends[-1])[:, None] & (position < length)
        position = jnp.clip(position, 0, length - 1)
        packed = Packed(row, row // queries, position, real, starts - first)
        return step(partial(at_positions, packed, window.shape), partial(context, packed))

    blocks = -(-length // BLOCK)
    capacities = sorted({max(1, round(share * rows * blocks)) for share in SHARES})
    smallest = (ends[-1] > jnp.asarray(capacities)).sum()
    return jax.lax.switch(smallest, [partial(with_capacity, c) for c in capacities])


def at_positions(
    packed: Packed,
    shape: tuple[int, int, int],
    function: Callable[..., PyTree],
    of_queries: PyTree,
    of_sentences: PyTree,
    of_positions: PyTree,
) -> PyTree:
    """As `dense.at_positions`, in the window; what stands elsewhere is not to be read."""
    row, sentence = packed.row[:, None], packed.sentence[:, None]
    queries = jax.tree.map(lambda x: _rows(x)[row], of_queries)
    sentences = jax.tree.map(lambda x: x[sentence, packed.position], of_sentences)
    positions = jax.tree.map(lambda x: _rows(x)[row, packed.position][:, None], of_positions)
    found = function(queries, sentences, positions)
    unpacked = jax.tree.map(lambda x: _unpack(x[:, 0], packed.shift, shape[-1]), found)
    return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[2:]), unpacked)


def context(
    packed: Packed, weights: Float[Array, "B K S *D"], annotations: Float[Array, "B S D"]
) -> Float[Array, "B K D"]:
    """As `dense.context`, reading the annotations in the window only."""
    sentences, queries = weights.shape[:2]
    rows, slots = sentences * queries, len(packed.row)
    if slots * BLOCK > GATHERED_BELOW * sentences * annotations.shape[1]:
        return dense.context(weights, annotations)
    values = annotations[packed.sentence[:, None], packed.position]
    chosen = _rows(weights)[packed.row[:, None], packed.position]
    real = packed.real.reshape(*packed.real.shape, *[1] * (chosen.ndim - 2))
    product = "cpd,cpd->cd" if weights.ndim == 4 else "cp,cpd->cd"
    sums = jnp.einsum(product, jnp.where(real, chosen, 0), values)
    # A product with a matrix of zeros and ones adds up each row's blocks: no scatter.
    found = (jnp.arange(rows)[:, None] == packed.row).astype(sums.dtype) @ sums
    return found.reshape(sentences, queries, -1)


def _rows(x: Array) -> Array:
    """[B, K, ...] to [N, ...]."""
    return x.reshape(-1, *x.shape[2:])


def _blocks_of_windows(
    window: Bool[Array, "N S"],
) -> tuple[Int[Array, " N"], Int[Array, " N"]]:
    """Each row's first block, and how many blocks its window touches (windows have no holes)."""
    block = jnp.arange(window.shape[1]) // BLOCK
    first = jnp.where(window, block, len(block)).min(1)
    last = jnp.where(window, block, -1).max(1)
    return jnp.minimum(first, len(block) - 1), jnp.maximum(last - first + 1, 0)


def _unpack(
    packed: Float[Array, "C block *D"], shift: Int[Array, " N"], length: int
) -> Float[Array, "N S *D"]:
    """Each row reads its own slots."""
    position = jnp.arange(length)
    slot = jnp.clip(shift[:, None] + position // BLOCK, 0, packed.shape[0] - 1)
    return packed[slot, position % BLOCK]
