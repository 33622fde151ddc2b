"""Blocks of positions for a kernel on TPUs.

They are fetched in turn, row behind row: the next one is on its way while one is read.
"""

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxtyping import Array, Float, Int, PyTree

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.kernel.block import Row, add_block
from fa_jax.attention.running_softmax import RunningSoftmax
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step
from fa_jax.attention.window_chunks import rows_of

BLOCK = 16
"""Positions fetched together: a tile's, in bfloat16 as in float32."""
BUFFERS = 2
"""One block is read, the next one is fetched."""
MEMORY = 96 * 2**20
"""Bytes of the core's own memory that a kernel may take; a v5e has 128 MiB. The matrix of the
fine-grained score takes 16 MiB at 2,000 units."""


@struct.dataclass
class Blocks:
    """Of each row: its window, its first block, how many it has, and how many stand before them."""

    first: Int[Array, " N"]
    last: Int[Array, " N"]
    begin: Int[Array, " N"]
    count: Int[Array, " N"]
    before: Int[Array, " N"]


def blocks_of(reach: Reach, length: int) -> Blocks:
    """What the kernel fetches. An empty window has one block, of which nothing counts."""
    first, last = reach.first.reshape(-1), reach.last.reshape(-1)
    begin = jnp.clip(first // BLOCK, 0, -(-length // BLOCK) - 1)
    count = jnp.where(first <= last, last // BLOCK - begin + 1, 1)
    return Blocks(first, last, begin, count, jnp.cumsum(count) - count)


def context_and_focus(
    config: AttentionConfig, step: Step, reach: Reach, *, interpret: Any
) -> tuple[Float[Array, "B K D"], Float[Array, "B K"]]:
    """Context and focus. interpret: as in `pallas_call`."""
    (sentences, queries), annotations = reach.first.shape, step.memory.annotations
    rows, (_, length, size) = sentences * queries, annotations.shape
    settings = {k: v[None] for k, v in vars(config.span).items() if isinstance(v, jax.Array)}
    query = rows_of(step.query)[:, None]
    prior = jax.tree.map(lambda x: x.reshape(rows, 1, 1), reach.prior)
    params = {name: step.params["score"][name][None] for name in config.score.in_kernel}
    memory = jax.tree.map(_in_whole_blocks, (step.memory.keys, annotations))
    for_row = lambda width: pl.BlockSpec((1, 1, width), lambda row, *_: (row, 0, 0))  # noqa: E731
    for_all = lambda x: pl.BlockSpec(x.shape, lambda *_: (0,) * x.ndim)  # noqa: E731
    buffers = jax.tree.map(lambda x: pltpu.VMEM((BUFFERS, BLOCK, x.shape[2]), x.dtype), memory)
    leaves = len(jax.tree.leaves(memory))
    context, focus = pl.pallas_call(
        partial(_row, config, queries, _scores_of_a_position(config, step)),
        out_shape=[
            jax.ShapeDtypeStruct((rows, 1, size), annotations.dtype),
            jax.ShapeDtypeStruct((rows, 1, 1), jnp.float32),
        ],
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=2,
            grid=(rows,),
            in_specs=[
                jax.tree.map(lambda x: for_row(x.shape[2]), (query, prior)),
                jax.tree.map(for_all, params),
                jax.tree.map(lambda _: pl.BlockSpec(memory_space=pl.ANY), memory),
            ],
            out_specs=[for_row(size), for_row(1)],
            scratch_shapes=[buffers, pltpu.SemaphoreType.DMA((BUFFERS, leaves))],
        ),
        # Rows follow each other: each fetches the first block of the next.
        compiler_params=pltpu.CompilerParams(
            dimension_semantics=("arbitrary",), vmem_limit_bytes=MEMORY
        ),
        interpret=interpret,
    )(blocks_of(reach, length), settings, (query, prior), params, memory)
    return context.reshape(sentences, queries, size), focus.reshape(sentences, queries)


def _scores_of_a_position(config: AttentionConfig, step: Step) -> int:
    scores = jax.eval_shape(
        config.score.evaluate, step.params["score"], step.query, step.memory.keys, ()
    )
    return math.prod(scores.shape[3:])


def _in_whole_blocks(x: Float[Array, "B S F"]) -> Float[Array, "B P F"]:
    """With a last block that is whole; as it is where it is."""
    return jnp.pad(x, ((0, 0), (0, -x.shape[1] % BLOCK), (0, 0)))


def _row(
    config: AttentionConfig,
    queries: int,
    width: int,
    blocks: Blocks,
    settings: dict[str, Any],
    given: tuple[Any, PyTree],
    params: PyTree,
    memory: PyTree,
    context: Any,
    focus: Any,
    buffers: PyTree,
    arrivals: Any,
):
    """What the kernel does for one row; width: scores of a position. From blocks on, references."""
    row, rows = pl.program_id(0), pl.num_programs(0)

    def fetching(row: Array, block: Array, buffer: Array | int) -> list[Any]:
        """The copies that bring a block of a row's sentence into a buffer."""
        sentence, start = jax.lax.div(row, queries), pl.multiple_of(block * BLOCK, BLOCK)
        pairs = zip(jax.tree.leaves(memory), jax.tree.leaves(buffers), strict=True)
        return [
            pltpu.make_async_copy(
                source.at[sentence, pl.ds(start, BLOCK)], into.at[buffer], arrivals.at[buffer, leaf]
            )
            for leaf, (source, into) in enumerate(pairs)
        ]

    @pl.when(row == 0)
    def _():
        for copy in fetching(row, blocks.begin[0], 0):
            copy.start()

    query, prior = jax.tree.map(lambda x: x[0], given)
    params = {name: x[0] for name, x in params.items()}
    settings = {name: x[0] for name, x in settings.items()}
    described = Row(blocks.first[row], blocks.last[row], query, prior, params, settings)

    def take(number: Array, running: RunningSoftmax) -> RunningSoftmax:
        buffer = jax.lax.rem(blocks.before[row] + number, BUFFERS)
        at_end = number + 1 == blocks.count[row]
        next_row = jnp.where(at_end, jnp.minimum(row + 1, rows - 1), row)
        next_block = blocks.begin[next_row] + jnp.where(at_end, 0, number + 1)

        @pl.when(~at_end | (row + 1 < rows))
        def _():
            for copy in fetching(next_row, next_block, 1 - buffer):
                copy.start()

        block = blocks.begin[row] + number
        for copy in fetching(row, block, buffer):
            copy.wait()
        keys, annotations = (x[buffer] for x in buffers)
        return add_block(config, described, running, block * BLOCK, keys, annotations)

    size = buffers[1].shape[-1]
    nothing = RunningSoftmax.of_nothing((1, width), size, jnp.float32)
    _, mean, place = jax.lax.fori_loop(0, blocks.count[row], take, nothing).means()
    context[...], focus[...] = mean[None].astype(context.dtype), place.mean(-1, keepdims=True)[None]
