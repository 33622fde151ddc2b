"""Scores inside the windows only, under static shapes.

Positions are taken in blocks. The blocks that each row's window touches are laid behind each
other in one packed list, so that the cost follows the SUM of the windows, not the widest. The
list's capacity must be static: it is chosen at each step from a few sizes.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PyTree

BLOCK = 8
"""Positions scored together."""
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""Capacities of the packed list, as shares of all blocks."""


def windowed_scores(
    evaluate: Callable[..., Array],
    query: Float[Array, "B K Q"],
    keys: PyTree,
    window: Bool[Array, "B K S"],
) -> Float[Array, "B K S *D"]:
    """The score of each position in the window; what stands elsewhere is not to be read.

    evaluate(query, keys): see `Score`.
    """
    rows = query.shape[0] * query.shape[1]
    length = window.shape[2]
    first, count = _blocks_of_windows(window.reshape(rows, length))
    ends = jnp.cumsum(count)
    starts = ends - count

    def scores_with_capacity(capacity: int) -> Float[Array, "N S *D"]:
        slot = jnp.arange(capacity)
        row = jnp.minimum(jnp.searchsorted(ends, slot, side="right"), rows - 1)
        block = first[row] + slot - starts[row]
        position = jnp.clip(block[:, None] * BLOCK + jnp.arange(BLOCK), 0, length - 1)
        sentence = row // query.shape[1]
        packed_keys = jax.tree.map(lambda leaf: leaf[sentence[:, None], position], keys)
        packed_query = query.reshape(rows, -1)[row]
        packed = evaluate(packed_query[:, None, :], packed_keys)[:, 0]
        return _unpack(packed, starts - first, length)

    capacities = sorted({max(1, round(share * rows * _blocks(length))) for share in SHARES})
    smallest = jnp.searchsorted(jnp.asarray(capacities), ends[-1])
    branches = [lambda c=c: scores_with_capacity(c) for c in capacities]
    scores = jax.lax.switch(smallest, branches)
    return scores.reshape(*window.shape, *scores.shape[2:])


def _blocks(length: int) -> int:
    return -(-length // BLOCK)


def _blocks_of_windows(
    window: Bool[Array, "N S"],
) -> tuple[Int[Array, " N"], Int[Array, " N"]]:
    """Each row's first block, and how many blocks its window touches (windows have no holes)."""
    first = jnp.argmax(window, axis=1) // BLOCK
    last = (window.shape[1] - 1 - jnp.argmax(window[:, ::-1], axis=1)) // BLOCK
    return first, jnp.where(window.any(1), last - first + 1, 0)


def _unpack(
    packed: Float[Array, "C block *D"], shift: Int[Array, " N"], length: int
) -> Float[Array, "N S *D"]:
    """Each row reads its own slots: block b of a row stands in slot `shift + b`."""
    position = jnp.arange(length)
    slot = jnp.clip(shift[:, None] + position // BLOCK, 0, packed.shape[0] - 1)
    return packed[slot, position % BLOCK]
