"""A step in its windows whose gradient costs what the windows cost, too.

Transposed, a scan adds to a constant's gradient a whole array a step. The memory is such a
constant: however narrow the windows, each step would add to all its positions. Here its gradient
takes another way. The state carries *taps*, zeros of the memory's shape, from step to step; on the
way back their gradient goes from step to step, and each one adds what its windows add, in place.
"""

from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, PyTree

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.chunks import BLOCK, Chunk, chunks_of, rows_of
from fa_jax.attention.params import Params
from fa_jax.attention.score import at_least_float32, scores_of
from fa_jax.attention.span import Reach, by_position
from fa_jax.attention.step import AttentionState, Memory, Step, Taps, Weighed
from fa_jax.attention.windowed import (
    means,
    of_dimensions,
    prior_of,
    sums_in_windows,
)


def learn_in_windows(memory: Memory, state: AttentionState) -> tuple[Memory, AttentionState]:
    """Prepares memory and state so that gradients cost what the windows cost, too.

    Use it to train on long sources, with a scan of
    `attend(..., implementation="windowed", details=False)`. Outside the windows it computes neither
    scores nor gradients. No gradient passes through a window's border. Two kinds of parts cannot be
    learnt so: scores whose positions remember something, such as `Recurrent`, and spans that need
    every position in training.

    Args:
      memory: from `prepare_memory`.
      state: from `initial_attention_state`, one query a sentence.

    Returns:
      The memory, without a gradient, and the state, whose `taps` have it.

    Raises:
      ValueError: the positions of this score remember something.

    >>> config = fa_jax.AttentionConfig("dot", fa_jax.LocalM(half_width=2))
    >>> params = {"score": {}}
    >>> memory = fa_jax.prepare_memory(params, jnp.ones((2, 9, 6)), jnp.array([9, 7]), config)
    >>> state = fa_jax.initial_attention_state(memory, config)
    >>> memory, state = fa_jax.learn_in_windows(memory, state)
    >>> [tap.shape for tap in state.taps.of]  # of annotations and keys, blocks of 8 positions
    [(2, 2, 8, 6), (2, 2, 8, 6)]
    """
    if jax.tree.leaves(state.score):
        raise ValueError("this score needs all positions in training: each remembers something")
    read = memory.annotations, memory.keys
    annotations, keys = jax.lax.stop_gradient(read)
    taps = [_tap(leaf) for leaf in jax.tree.leaves(read) if _has_gradient(leaf)]
    memory = memory.replace(annotations=annotations, keys=keys)
    return memory, state.replace(taps=Taps(taps))


def learns_in_windows(config: AttentionConfig) -> bool:
    """Whether `learn_in_windows` is for this attention."""
    remembered = jax.tree.leaves(config.score.initial_state(1, 1))
    return config.span.learns_in_windows and not remembered


def _has_gradient(leaf: Array) -> bool:
    return jnp.issubdtype(leaf.dtype, jnp.floating)


@jax.custom_vjp
def _tap(leaf: Float[Array, "B S *X"]) -> Float[Array, "B blocks block *X"]:
    """Zeros, whose gradient is the leaf's.

    They are the leaf's in name, too: `vmap` gives each example its own only so.
    """
    rows, length, *rest = leaf.shape
    blocks = -(-length // BLOCK)
    padding = [(0, 0), (0, blocks * BLOCK - length), *[(0, 0)] * len(rest)]
    padded = jnp.pad(at_least_float32(leaf), padding).reshape(rows, blocks, BLOCK, *rest)
    return jnp.where(False, padded, 0)


def _of_tap(like: Array, gradient: Array) -> tuple[Array]:
    flat = gradient.reshape(len(gradient), -1, *gradient.shape[3:])
    return (flat[:, : like.shape[1]].astype(like.dtype),)


_tap.defvjp(lambda leaf: (_tap(leaf), leaf), _of_tap)


@struct.dataclass
class Sums:
    """Of each row: the logarithm of what its weights are divided by, c_t and p_t."""

    level: Float[Array, "N *D"]
    context: Float[Array, "N D"]
    focus: Float[Array, "N *D"]


def weigh(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """As `windowed.weigh`, for a state that `learn_in_windows` made.

    Raises:
      ValueError: details, which have all positions.
    """
    if details:
        raise ValueError("learning in windows gives no details: attend(..., details=False)")
    sentences, queries = reach.first.shape
    sums, taps = _read(
        config,
        (step.params["score"], step.query, reach.prior),
        step.taps.of,
        step.replace(taps=()),
        reach.replace(prior=jax.lax.stop_gradient(reach.prior)),
    )
    dtype = step.memory.annotations.dtype
    return Weighed(
        context=sums.context.astype(dtype).reshape(sentences, queries, -1),
        focus=of_dimensions(sums.focus).reshape(sentences, queries),
        state=(),
        weights=None,
        by_dimension=None,
        taps=Taps(taps),
    )


Learnt = tuple[Params, Float[Array, "B K Q"], PyTree]
"""Parameters of the score, the query, the span's prior."""


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _read(
    config: AttentionConfig, learnt: Learnt, taps: list[Array], step: Step, reach: Reach
) -> tuple[Sums, list[Array]]:
    """learnt: what step and reach have, too; it has the gradient."""
    return _forward(config, learnt, taps, step, reach)[0]


def _forward(config, learnt, taps, step, reach):
    running = sums_in_windows(config, step, reach)
    total, context, focus = means(running)
    highest = jnp.where(running.highest == -jnp.inf, 0, running.highest)
    sums = Sums(highest + jnp.log(total), context, focus)
    return (sums, taps), (learnt, step, reach, sums)


def _backward(config, residuals, gradients):
    """Each chunk's scores are computed again: its gradient is asked for while they are there.

    With weights a(s), factors f(s) and u(s) = f(s) (∂c_t · h̄_s + ∂p_t s), a score's gradient is
    a(s) (u(s) − Σ a u), and Σ a u is ∂c_t · c_t + ∂p_t p_t.
    """
    (params, query, prior), step, reach, sums = residuals
    of_sums, taps = gradients
    by_dimension = sums.level.ndim == 2
    average = of_sums.context * sums.context
    average = average if by_dimension else average.sum(-1)
    average += of_sums.focus * sums.focus
    chunks, chunk = chunks_of(reach, step.memory.annotations.shape[1])
    query, prior = jax.tree.map(rows_of, (query, prior))

    def add(number: Array, so_far):
        taps, (for_params, for_query, for_prior) = so_far
        here = chunk(number)
        annotations, *keys = _blocks(step.memory, here)
        row = here.row[:, None]

        def terms(params, query, prior, keys):
            keys = _keys(step.memory, here, keys)
            scores = scores_of(config.score, params, query, keys, (), BLOCK)[:, 0]
            bias, factor = prior_of(config, prior, here, scores.ndim)
            return scores + bias, jnp.broadcast_to(factor, scores.shape)

        own = jax.tree.map(lambda x: x[row], (query, prior))
        (scores, factor), back = jax.vjp(terms, params, *own, keys)
        inside = by_position(here.inside, scores.ndim)
        weights = jnp.exp(jnp.where(inside, scores - sums.level[row], -jnp.inf))
        for_context = of_sums.context[row]
        alike = at_least_float32(annotations) * for_context
        alike = alike if by_dimension else alike.sum(-1)
        alike += of_sums.focus[row] * by_position(here.position, scores.ndim)
        for_scores = weights * (factor * alike - average[row])
        more, more_query, more_prior, for_keys = back((for_scores, weights * alike))
        counted = by_position(weights * factor, 3)
        place = here.sentence, here.position[:, 0] // BLOCK
        taps = [
            tap.at[place].add(block.astype(tap.dtype))
            for tap, block in zip(taps, [counted * for_context, *for_keys], strict=True)
        ]
        to_rows = lambda x, y: x.at[here.row].add(y[:, 0].astype(x.dtype))  # noqa: E731
        return taps, (
            jax.tree.map(jnp.add, for_params, more),
            to_rows(for_query, more_query),
            jax.tree.map(to_rows, for_prior, more_prior),
        )

    nothing = jax.tree.map(jnp.zeros_like, (params, query, prior))
    taps, learnt = jax.lax.fori_loop(0, chunks, add, (taps, nothing))
    shaped = jax.tree.map(lambda x, y: x.reshape(y.shape), learnt, residuals[0])
    return shaped, taps, None, None


_read.defvjp(_forward, _backward)


def _blocks(memory: Memory, chunk: Chunk) -> list[Float[Array, "C block *X"]]:
    """A chunk's annotations, and its keys as far as they have a gradient."""
    place = chunk.sentence[:, None], chunk.position
    leaves = jax.tree.leaves((memory.annotations, memory.keys))
    return [leaf[place] for leaf in leaves if _has_gradient(leaf)]


def _keys(memory: Memory, chunk: Chunk, found: list[Array]) -> PyTree:
    """A chunk's keys, of which some were found already."""
    place, found = (chunk.sentence[:, None], chunk.position), iter(found)
    return jax.tree.map(lambda x: next(found) if _has_gradient(x) else x[place], memory.keys)
