"""A step computed inside the windows only, under static shapes.

Positions are taken in blocks. The blocks that each row's window touches stand behind each other in
one list, which is never written down: a loop takes it chunk by chunk, as many chunks as there are,
and keeps a running softmax of each row. So the cost follows the sum of the windows: neither the
widest nor the sentence. A row is one query of one sentence.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from fa_jax.attention import dense
from fa_jax.attention.attention_config import AttentionConfig, arrays_of, with_arrays
from fa_jax.attention.mesh_types import varying_as
from fa_jax.attention.running_softmax import RunningSoftmax
from fa_jax.attention.score import at_least_float32, scores_of
from fa_jax.attention.span import Reach, by_position, over_dimensions
from fa_jax.attention.step import Params, Step, Weighed
from fa_jax.attention.window import window_mask
from fa_jax.attention.window_chunks import BLOCK, Chunk, chunks_of, rows_of

Sums = tuple[RunningSoftmax, Float[Array, "N S *D"] | None]
"""Of the chunks so far; and their scores, where somebody asks for weights."""


def weigh(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """As `dense.weigh`, from the windows alone. details: also return weights.

    Its gradient is that of `dense.weigh`, which is computed where a gradient is asked for.
    """
    constants = jax.lax.stop_gradient((step, reach))  # a loop of unknown length has none
    settings = jax.lax.stop_gradient(arrays_of(config))  # σ may have one
    found = _in_windows(with_arrays(config, settings), *constants, details)
    return _with_gradient_of(dense.weigh(config, step, reach, details), found)


@jax.custom_jvp
def _with_gradient_of(same: Weighed, found: Weighed) -> Weighed:
    return found


_with_gradient_of.defjvp(lambda values, tangents: (values[1], tangents[0]))


def _in_windows(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    memory, state = step.memory, step.state.score
    sentences, queries = reach.first.shape
    chunks, chunk = chunks_of(reach, memory.annotations.shape[1])
    remembers = bool(jax.tree.leaves(state))
    running, scores = sums_in_windows(config, step, reach, keep=details or remembers)
    _, context, focus = running.means()
    weights = None
    if scores is not None:
        scores = scores.reshape(sentences, queries, *scores.shape[1:])
        window = window_mask(reach.first, reach.last, scores.shape[2])
        weights = config.span.weights(scores, window, reach, memory.positions)
    if remembers:
        observed = config.score.observe(over_dimensions(weights))
        remember = partial(_remember, config, step, observed)
        state = jax.lax.fori_loop(0, chunks, lambda number, x: remember(x, chunk(number)), state)
    return Weighed(
        context=context.astype(memory.annotations.dtype).reshape(sentences, queries, -1),
        focus=focus.reshape(sentences, queries, -1).mean(-1),
        state=state,
        weights=weights if details else None,
    )


def sums_in_windows(
    config: AttentionConfig, step: Step, reach: Reach, *, keep: bool = False
) -> Sums:
    """The sums over each row's window. keep: also all scores that were computed."""
    _, length, size = step.memory.annotations.shape
    chunks, chunk = chunks_of(reach, length)
    scores, factor = jax.eval_shape(lambda c: terms(config, c, *read(step, reach, c)), chunk(0))
    rows, dimensions = reach.first.size, scores.shape[2:]
    dtype = jnp.result_type(scores, factor)
    zeros, no_context = jnp.zeros((rows, *dimensions), dtype), jnp.zeros((rows, size), dtype)
    nothing = RunningSoftmax(zeros - jnp.inf, zeros, no_context, zeros)
    kept = jnp.zeros((rows, length, *dimensions), dtype) if keep else None
    begin = varying_as((nothing, kept), step, reach)
    add = partial(_add, config, step, reach)
    return jax.lax.fori_loop(0, chunks, lambda number, x: add(x, chunk(number)), begin)


def read(step: Step, reach: Reach, chunk: Chunk) -> tuple[Params, Array, PyTree, PyTree, PyTree]:
    """What the `terms` of a chunk are made of."""
    row, sentence, position = chunk.row[:, None], chunk.sentence[:, None], chunk.position
    return (
        step.params["score"],
        rows_of(step.query)[row],
        jax.tree.map(lambda x: rows_of(x)[row], reach.prior),
        jax.tree.map(lambda x: x[sentence, position], step.memory.keys),
        jax.tree.map(lambda x: rows_of(x)[row, position][:, None], step.state.score),
    )


def terms(
    config: AttentionConfig,
    chunk: Chunk,
    params: Params,
    query: Float[Array, "C 1 Q"],
    prior: PyTree,
    keys: PyTree,
    remembered: PyTree,
) -> tuple[Float[Array, "C block *D"], Float[Array, "C block *D"]]:
    """A chunk's scores with the span's bias, and the span's factors behind the softmax.

    Of its slots: query, prior, keys, and what the positions remember.
    """
    places = chunk.position.astype(jnp.float32)[:, None]
    scores = scores_of(config.score, params, query, keys, remembered, places.shape[2])[:, 0]
    nothing = jnp.zeros_like(places)  # added to a plain number: x64 would make it a float64
    bias, factor = (
        by_position((part(prior, places) + nothing)[:, 0], scores.ndim)
        for part in (config.span.bias, config.span.factor)
    )
    return scores + bias, jnp.broadcast_to(factor, scores.shape)


def _add(config: AttentionConfig, step: Step, reach: Reach, so_far: Sums, chunk: Chunk) -> Sums:
    running, kept = so_far
    scores, factor = terms(config, chunk, *read(step, reach, chunk))
    scores = jnp.where(by_position(chunk.inside, scores.ndim), scores, -jnp.inf)
    place = by_position(chunk.position.astype(scores.dtype), scores.ndim)
    highest = jax.ops.segment_max(scores.max(1), chunk.row, len(running.total))
    running, level = running.rescaled(highest)
    each = jnp.exp(scores - level[chunk.row][:, None])
    counted = each * factor
    context = _context(counted, step.memory.annotations, chunk)
    running = running.replace(
        total=running.total.at[chunk.row].add(each.sum(1)),
        context=running.context.at[chunk.row].add(at_least_float32(context)),
        focus=running.focus.at[chunk.row].add((counted * place).sum(1)),
    )
    if kept is not None:
        where = jnp.where(chunk.inside, chunk.position, kept.shape[1])
        kept = kept.at[chunk.row[:, None], where].set(scores, mode="drop")
    return running, kept


def _context(
    weights: Float[Array, "C block *D"], annotations: Float[Array, "B S D"], chunk: Chunk
) -> Float[Array, "C D"]:
    """`Σ a(s) h̄_s` over each slot's block, reading the annotations where they lie.

    The sum is written out: XLA makes one loop of it, and copies nothing.
    """
    weights = weights.astype(annotations.dtype)
    return sum(
        by_position(weights[:, i], 2) * annotations[chunk.sentence, chunk.position[:, i]]
        for i in range(BLOCK)
    )


def _remember(
    config: AttentionConfig, step: Step, observed: PyTree, state: PyTree, chunk: Chunk
) -> PyTree:
    """What the chunk's positions remember of the step; state: of all positions so far."""
    row, position = chunk.row[:, None], chunk.position
    before, seen = (
        jax.tree.map(lambda x: rows_of(x)[row, position][:, None], of)
        for of in (step.state.score, observed)
    )
    after = config.score.update(step.params["score"], before, seen)

    def put(x: Array, y: Array) -> Array:
        place = jnp.where(chunk.inside, position, x.shape[2])
        return rows_of(x).at[row, place].set(y[:, 0], mode="drop").reshape(x.shape)

    return jax.tree.map(put, state, after)
