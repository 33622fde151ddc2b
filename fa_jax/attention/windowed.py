"""A step computed inside the windows only, under static shapes.

Positions are taken in blocks. The blocks that each row's window touches are laid behind each
other in one packed list, so that the cost follows the sum of the windows: neither the widest nor
the sentence. The list's capacity must be static: it is chosen at each step from a few sizes. A
row is one query of one sentence.
"""

from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step, Weighed

BLOCK = 8
"""Positions taken together."""
GROWTH, COARSE_GROWTH, COARSE_FROM = 1.12, 2.0, 32
"""Of capacities, in blocks a row: each so much more than the one before; above 32, twice it."""


@struct.dataclass
class Packed:
    """Which block stands in which slot of the packed list.

    row, sentence: whose block a slot holds. position: of its elements, clipped to the padded
    length. inside: whether they belong to the row's window.
    """

    row: Int[Array, " C"]
    sentence: Int[Array, " C"]
    position: Int[Array, "C block"]
    inside: Bool[Array, "C block"]


def weigh(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """As `dense.weigh`, from the windows alone. details: also return weights, [B, K, S]."""
    sentences, queries = reach.first.shape
    rows, length = sentences * queries, step.memory.annotations.shape[1]
    first, last = reach.first.reshape(-1), reach.last.reshape(-1)
    first_block = first // BLOCK
    count = jnp.where(first <= last, last // BLOCK - first_block + 1, 0)
    ends = jnp.cumsum(count)

    def with_slots(slots: int) -> Weighed:
        slot = jnp.arange(slots)
        row = jnp.minimum(
            jnp.searchsorted(ends, slot, side="right", method="compare_all"), rows - 1
        )
        block = first_block[row] + slot - (ends - count)[row]
        position = block[:, None] * BLOCK + jnp.arange(BLOCK)
        inside = (position >= first[row, None]) & (position <= last[row, None])
        inside &= (slot < ends[-1])[:, None]
        position = jnp.clip(position, 0, length - 1)
        packed = Packed(row, row // queries, position, inside)
        return _weigh_packed(config, step, reach, details, packed)

    capacities = _capacities(rows, -(-length // BLOCK))
    smallest = _one_for_all((ends[-1] > jnp.asarray(capacities)).sum())
    return jax.lax.switch(smallest, [partial(with_slots, c) for c in capacities])


@jax.custom_batching.custom_vmap
def _one_for_all(capacity: Int[Array, ""]) -> Int[Array, ""]:
    """A capacity's number. Under `vmap` all take the largest: each its own would run them all."""
    return capacity


@_one_for_all.def_vmap
def _largest(size: int, batched: list[bool], capacity: Int[Array, "*N"]):
    return capacity.max(), False


def _capacities(rows: int, blocks: int) -> list[int]:
    """Slots of the packed lists to choose from; the last one holds every block of every row."""
    sizes, size = [], 1
    while size < blocks:
        sizes.append(size)
        growth = GROWTH if size < COARSE_FROM else COARSE_GROWTH
        size = max(size + 1, round(size * growth))
    return [rows * size for size in (*sizes, blocks)]


def _weigh_packed(
    config: AttentionConfig, step: Step, reach: Reach, details: bool, packed: Packed
) -> Weighed:
    score, span, memory, state = config.score, config.span, step.memory, step.state
    params, query = step.params["score"], step.query
    sentences, queries = reach.first.shape
    rows = sentences * queries
    row, sentence, position = packed.row[:, None], packed.sentence[:, None], packed.position
    keys = jax.tree.map(lambda x: x[sentence, position], memory.keys)
    remembered = jax.tree.map(lambda x: _rows(x)[row, position][:, None], state.score)
    scores = score.evaluate(params, _rows(query)[row], keys, remembered)[:, 0]
    prior = jax.tree.map(lambda x: _rows(x)[row], reach.prior)
    places = position.astype(jnp.float32)[:, None]
    bias, factor = (
        jnp.broadcast_to(part(prior, places), places.shape)[:, 0]
        for part in (span.bias, span.factor)
    )
    by_position = (..., *[None] * (scores.ndim - 2))
    weights = _softmax(scores + bias[by_position], packed.inside[by_position], packed.row, rows)
    weights *= factor[by_position]
    mean = weights if scores.ndim == 2 else weights.mean(-1)
    context = _context(weights.astype(memory.annotations.dtype), memory.annotations, packed, rows)

    def unpacked(values: Float[Array, "C block *D"]) -> Float[Array, "B K S *D"]:
        flat = jnp.zeros((rows, memory.annotations.shape[1], *values.shape[2:]), values.dtype)
        # Slots behind the last one, and what a block has beyond its window, add nothing.
        return flat.at[row, position].add(values).reshape(sentences, queries, *flat.shape[1:])

    of_score = state.score
    if jax.tree.leaves(of_score):
        observed = jax.tree.map(
            lambda x: _rows(x)[row, position][:, None], score.observe(unpacked(mean))
        )
        new = score.update(params, remembered, observed)
        place = jnp.where(packed.inside, position, memory.annotations.shape[1])
        of_score = jax.tree.map(
            lambda x, y: _rows(x).at[row, place].set(y[:, 0], mode="drop").reshape(x.shape),
            of_score,
            new,
        )
    focus = jax.ops.segment_sum((mean * position).sum(1), packed.row, rows)
    return Weighed(
        context=context.reshape(sentences, queries, -1),
        focus=focus.reshape(sentences, queries),
        state=of_score,
        weights=unpacked(mean) if details else None,
        by_dimension=unpacked(weights) if details and scores.ndim == 3 else None,
    )


def _softmax(
    scores: Float[Array, "C block *D"],
    inside: Bool[Array, "C block *#D"],
    row: Int[Array, " C"],
    rows: int,
) -> Float[Array, "C block *D"]:
    """Over each row's own slots, 0 outside the window."""
    highest = jnp.where(inside, scores, -jnp.inf).max(1)
    highest = jax.lax.stop_gradient(jax.ops.segment_max(highest, row, rows))
    shifted = jnp.where(inside, scores - highest[row][:, None], -jnp.inf)
    exponentials = jnp.exp(shifted)
    total = jax.ops.segment_sum(exponentials.sum(1), row, rows)[row][:, None]
    return jnp.where(inside, exponentials / jnp.where(total == 0, 1, total), 0)


def _context(
    weights: Float[Array, "C block *D"],
    annotations: Float[Array, "B S D"],
    packed: Packed,
    rows: int,
) -> Float[Array, "N D"]:
    """`Σ_s a(s) h̄_s`, reading the packed annotations where they lie.

    The sum over a block is written out: XLA makes one loop of it, and copies nothing.
    """
    by_dimension = weights.ndim == 3
    products = (
        (weights[:, i] if by_dimension else weights[:, i, None])
        * annotations[packed.sentence, packed.position[:, i]]
        for i in range(BLOCK)
    )
    return jax.ops.segment_sum(sum(products), packed.row, rows)


def _rows(x: Array) -> Array:
    """[B, K, ...] to [N, ...]."""
    return x.reshape(-1, *x.shape[2:])
