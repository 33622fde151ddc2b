"""A candidate for GPUs without a kernel: as many positions of every row, read in one piece.

A row is one query of one sentence. Each row reads positions from its window's first on, and masks
those behind the window's end. There is no loop and no kernel: JAX alone, for any device, and for
all scores but `recurrent`, whose positions remember something. What is read follows the widest
window, where `tiles` follow the sum of them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from unittest import mock

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Shaped

from fa_jax.attention import AttentionConfig, windowed
from fa_jax.attention.running_softmax import RunningSoftmax
from fa_jax.attention.score import at_least_float32
from fa_jax.attention.span import Reach, by_position
from fa_jax.attention.step import Step
from fa_jax.attention.window_chunks import Chunk, rows_of


@contextmanager
def reading_slices(widths: Sequence[int]) -> Iterator[None]:
    """Here a step's windows are read in slices of the narrowest of these widths that holds them.

    widths: positions, rising; the last must hold every window. With one of them nothing is asked.
    """
    of_chunks = windowed.sums_in_windows

    def sums(config: AttentionConfig, step: Step, reach: Reach, *, keep: bool = False):
        if keep:
            return of_chunks(config, step, reach, keep=True)
        sides = [partial(_sums, config, width) for width in widths]
        if len(sides) == 1:
            return sides[0](step, reach), None
        widest = (reach.last - reach.first).max() + 1
        choice = jnp.searchsorted(jnp.asarray(widths[:-1]), widest)
        return jax.lax.switch(choice, sides, step, reach), None

    with mock.patch.object(windowed, "sums_in_windows", sums):
        yield


def _sums(config: AttentionConfig, width: int, step: Step, reach: Reach) -> RunningSoftmax:
    """The sums over each row's window, as `windowed.sums_in_windows`."""
    memory, length = step.memory, step.memory.annotations.shape[1]
    width, row = min(width, length), jnp.arange(reach.first.size)
    sentence = row // reach.first.shape[1]
    begin = jnp.clip(rows_of(reach.first), 0, length - width)
    position = begin[:, None] + jnp.arange(width)[None]
    first, last = rows_of(reach.first)[:, None], rows_of(reach.last)[:, None]
    chunk = Chunk(row, sentence, position, (first <= position) & (position <= last))
    query, prior = jax.tree.map(lambda x: rows_of(x)[:, None], (step.query, reach.prior))
    keys = jax.tree.map(lambda x: _slices(x, sentence, begin, width), memory.keys)
    scores, factor = windowed.terms(config, chunk, step.params["score"], query, prior, keys, ())
    scores = jnp.where(by_position(chunk.inside, scores.ndim), scores, -jnp.inf)
    highest = scores.max(1)
    each = jnp.exp(scores - jnp.where(highest == -jnp.inf, 0, highest)[:, None])
    counted = each * factor
    place = by_position(position.astype(scores.dtype), scores.ndim)
    annotations = at_least_float32(_slices(memory.annotations, sentence, begin, width))
    context = (by_position(counted, 3) * annotations).sum(1)
    return RunningSoftmax(highest, each.sum(1), context, (counted * place).sum(1))


def _slices(
    x: Shaped[Array, "B S ..."], sentence: Int[Array, " N"], begin: Int[Array, " N"], width: int
) -> Shaped[Array, "N {width} ..."]:
    """So many positions of each row.

    As slices a GPU reads them in the sum that wants them; as single positions XLA would write them
    down first, in another order.
    """
    sizes = 1, width, *x.shape[2:]
    starts = lambda sentence, begin: (sentence, begin, *(0,) * (x.ndim - 2))  # noqa: E731
    return jax.vmap(lambda *at: jax.lax.dynamic_slice(x, starts(*at), sizes)[0])(sentence, begin)
