"""A step in its windows whose gradient costs what the windows cost, too.

The memory is the same in all steps: however narrow the windows, each step would add to the gradient
of all its positions. So the state carries taps of the memory's shape from step to step; on the way
back their gradient goes from step to step, and each one adds what its windows add, in place.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.mesh_types import in_auto_axes
from fa_jax.attention.score import at_least_float32
from fa_jax.attention.span import Reach, by_position
from fa_jax.attention.step import AttentionState, Memory, Params, Step, Weighed
from fa_jax.attention.tap import tap
from fa_jax.attention.window_chunks import BLOCK, chunks_of, rows_of
from fa_jax.attention.windowed import read, sums_in_windows, terms


def learn_in_windows(memory: Memory, state: AttentionState) -> tuple[Memory, AttentionState]:
    """Prepares memory and state so that gradients cost what the windows cost, too.

    Use it to train on long sources, with a scan of
    `attend(..., implementation="windowed", details=False)`. Outside the windows it computes neither
    scores nor gradients. No gradient passes through a window's border. Two kinds of parts cannot be
    learnt so: scores whose positions remember something, such as `Recurrent`, and spans that need
    every position in training. Derivatives are taken backwards (`grad`, `vjp`), not forwards
    (`jvp`), and `shard_map` needs `check_vma=False`.

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
    >>> [tap.shape for tap in state.taps]  # of annotations and keys, blocks of 8 positions
    [(2, 2, 8, 6), (2, 2, 8, 6)]
    """
    if jax.tree.leaves(state.score):
        raise ValueError("this score needs all positions in training: each remembers something")
    source = memory.annotations, memory.keys
    annotations, keys = jax.lax.stop_gradient(source)

    def tapped(source: PyTree) -> tuple[Array, ...]:
        leaves = filter(_has_gradient, jax.tree.leaves(source))
        return tuple(tap(_zeros, _unblocked, leaf) for leaf in leaves)

    taps = in_auto_axes(tapped, source, like=memory.annotations)
    memory = memory.replace(annotations=annotations, keys=keys)
    return memory, state.replace(taps=taps)


def learns_in_windows(config: AttentionConfig) -> bool:
    """Whether `learn_in_windows` is for this attention."""
    remembered = jax.tree.leaves(config.score.initial_state(1, 1))
    in_training = config.span.initial_state(1, 1, jax.random.split(jax.random.key(0), 1))
    return not remembered and not config.span.needs_every_position(in_training)


def _has_gradient(leaf: Array) -> bool:
    """Keys that are whole numbers have none."""
    return jnp.issubdtype(leaf.dtype, jnp.floating)


def _zeros(leaf: Float[Array, "B S *X"]) -> Float[Array, "B blocks block *X"]:
    """Blocks of positions, the last one filled up."""
    rows, length, *rest = leaf.shape
    return jnp.zeros((rows, -(-length // BLOCK), BLOCK, *rest), at_least_float32(leaf).dtype)


def _unblocked(
    blocks: Float[Array, "B blocks block *X"], like: Float[Array, "B S *X"]
) -> Float[Array, "B S *X"]:
    return blocks.reshape(len(blocks), -1, *blocks.shape[3:])[:, : like.shape[1]]


def weigh(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """As `windowed.weigh`, for a state that `learn_in_windows` made.

    Raises:
      ValueError: details, which have all positions.
    """
    if details:
        raise ValueError("learning in windows gives no details: attend(..., details=False)")
    sentences, queries = reach.first.shape
    learnt = step.params["score"], step.query, reach.prior
    taps, step = step.state.taps, step.replace(state=step.state.replace(taps=()))
    (context, focus), taps = _means(config, learnt, taps, step, reach)
    return Weighed(
        context=context.astype(step.memory.annotations.dtype).reshape(sentences, queries, -1),
        focus=focus.reshape(sentences, queries, -1).mean(-1),
        state=(),
        taps=taps,
    )


Learnt = tuple[Params, Float[Array, "B K Q"], PyTree]
"""Parameters of the score, the query, the span's prior."""
Means = tuple[Float[Array, "N D"], Float[Array, "N *D"]]
"""c_t and p_t of each row."""


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _means(
    config: AttentionConfig, learnt: Learnt, taps: tuple[Array, ...], step: Step, reach: Reach
) -> tuple[Means, tuple[Array, ...]]:
    """learnt: what step and reach have, too; it has the gradient."""
    return _forward(config, learnt, taps, step, reach)[0]


def _forward(config, learnt, taps, step, reach):
    running, _ = sums_in_windows(config, step, reach)
    total, *found = running.means()
    highest = jnp.where(running.highest == -jnp.inf, 0, running.highest)
    return (tuple(found), taps), (step, reach, highest + jnp.log(total), found)


def _backward(config, residuals, gradients):
    """Each chunk's scores are computed again: its gradient is asked for while they are there.

    With weights a(s), factors f(s) and u(s) = f(s) (∂c_t · h̄_s + ∂p_t s), a score's gradient is
    a(s) (u(s) − Σ a u), and Σ a u is ∂c_t · c_t + ∂p_t p_t.
    """
    step, reach, log_total, (context, focus) = residuals
    (of_context, of_focus), taps = gradients

    def of_scores(x: Float[Array, "*N D"]) -> Float[Array, "..."]:
        """Where scores have no dimensions, the sum over them."""
        return x if log_total.ndim == 2 else x.sum(-1)

    average = of_scores(of_context * context) + of_focus * focus
    chunks, chunk = chunks_of(reach, step.memory.annotations.shape[1])

    def add(number: Array, so_far):
        taps, (for_params, for_query, for_prior) = so_far
        here = chunk(number)
        row, sentence = here.row[:, None], here.sentence[:, None]
        annotations = step.memory.annotations[sentence, here.position]
        (scores, factor), back = jax.vjp(partial(terms, config, here), *read(step, reach, here))
        inside = by_position(here.inside, scores.ndim)
        weights = jnp.exp(jnp.where(inside, scores - log_total[row], -jnp.inf))
        for_context = of_context[row]
        alike = of_scores(at_least_float32(annotations) * for_context)
        alike += of_focus[row] * by_position(here.position.astype(scores.dtype), scores.ndim)
        for_scores = weights * (factor * alike - average[row])
        more, more_query, more_prior, for_keys, _ = back((for_scores, weights * alike))
        counted = by_position(weights * factor, 3)
        learnt = [counted * for_context, *filter(_has_gradient, jax.tree.leaves(for_keys))]
        place = here.sentence, here.position[:, 0] // BLOCK
        taps = tuple(
            tap.at[place].add(block.astype(tap.dtype))
            for tap, block in zip(taps, learnt, strict=True)
        )
        to_rows = lambda x, y: x.at[here.row].add(y[:, 0].astype(x.dtype))  # noqa: E731
        return taps, (
            jax.tree.map(jnp.add, for_params, more),
            to_rows(for_query, more_query),
            jax.tree.map(to_rows, for_prior, more_prior),
        )

    learnt = step.params["score"], step.query, reach.prior
    nothing = jax.tree.map(jnp.zeros_like, (learnt[0], *jax.tree.map(rows_of, learnt[1:])))
    taps, gradient = jax.lax.fori_loop(0, chunks, add, (taps, nothing))
    return jax.tree.map(lambda x, y: x.reshape(y.shape), gradient, learnt), taps, None, None


_means.defvjp(_forward, _backward)
