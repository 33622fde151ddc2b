"""A step in its windows as one kernel, for TPUs.

Each row, one query of one sentence, reads the blocks of positions that its window touches, and no
others. Scores, a running softmax, context and focus are computed while a block is there. Blocks are
fetched in turn, row behind row: the next one is on its way while one is read.
"""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxtyping import Array, Float, Int, PyTree

from fa_jax.attention import dense
from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.chunks import rows_of
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step, Weighed
from fa_jax.attention.windowed import with_gradient_of_dense

BLOCK = 16
"""Positions fetched together: a tile's, in bfloat16 as in float32."""
BUFFERS = 2
"""One block is read, the next one is fetched."""
MEMORY = 96 * 2**20
"""Bytes of the core's own memory that a kernel may take; a v5e has 128 MiB. The matrix of the
fine-grained score takes 16 MiB at 2,000 units."""


def weigh(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """As `dense.weigh`, from the windows alone; details are computed densely.

    Its gradient is that of `dense.weigh`, which is computed where a gradient is asked for.

    Raises:
      ValueError: the span is none that a kernel evaluates.
    """
    if any(leaf.ndim != 2 for leaf in jax.tree.leaves(reach.prior)):
        raise ValueError(f"no kernel evaluates {config.span}: take 'windowed'")
    return with_gradient_of_dense(_on_platform, config, step, reach, details)


def _on_platform(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """Compiled for a TPU, interpreted on a CPU."""
    context, focus = jax.lax.platform_dependent(
        step,
        reach,
        tpu=partial(sums_by_kernel, config, interpret=False),
        cpu=partial(sums_by_kernel, config, interpret=True),
    )
    found = Weighed(context, focus, (), None, None)
    if not details:
        return found
    all_positions = dense.weigh(config, step, reach, details)
    return found.replace(weights=all_positions.weights, by_dimension=all_positions.by_dimension)


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


def sums_by_kernel(
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


@struct.dataclass
class Sums:
    """Over the blocks so far, of exp(score − highest) × …; a score for all dimensions, or each."""

    highest: Float[Array, "1 W"]
    total: Float[Array, "1 W"]
    context: Float[Array, "1 D"]
    focus: Float[Array, "1 W"]

    @staticmethod
    def of_nothing(width: int, size: int) -> "Sums":
        """Before the first block."""
        zeros, no_context = jnp.zeros((1, width)), jnp.zeros((1, size))
        return Sums(zeros - jnp.inf, zeros, no_context, zeros)

    def with_block(
        self,
        scores: Float[Array, "block W"],
        factor: Float[Array, "block 1"],
        places: Float[Array, "block 1"],
        annotations: Float[Array, "block D"],
    ) -> "Sums":
        """scores: -inf outside the window."""
        highest = jnp.maximum(self.highest, scores.max(0, keepdims=True))
        level = jnp.where(highest == -jnp.inf, 0, highest)
        before, each = jnp.exp(self.highest - level), jnp.exp(scores - level)
        counted = each * factor
        add = lambda old, new: old * before + new.sum(0, keepdims=True)  # noqa: E731
        return Sums(
            highest=highest,
            total=add(self.total, each),
            context=add(self.context, counted * annotations.astype(jnp.float32)),
            focus=add(self.focus, counted * places),
        )


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
    span = replace(config.span, **settings) if settings else config.span

    def take(number: Array, sums: Sums) -> Sums:
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
        keys, annotations = jax.tree.map(lambda x: x[buffer], buffers)
        scores = config.score.evaluate(
            params, query[None], jax.tree.map(lambda x: x[None], keys), ()
        )
        places = block * BLOCK + jax.lax.broadcasted_iota(jnp.int32, (1, 1, BLOCK), 2)
        inside = (places >= blocks.first[row]) & (places <= blocks.last[row])
        places = places.astype(jnp.float32)
        bias = jnp.where(inside, span.bias(prior, places), -jnp.inf)
        factor = jnp.broadcast_to(span.factor(prior, places), places.shape)
        bias, factor, places = (x.reshape(BLOCK, 1) for x in (bias, factor, places))
        return sums.with_block(scores.reshape(BLOCK, width) + bias, factor, places, annotations)

    size = buffers[1].shape[-1]
    sums = jax.lax.fori_loop(0, blocks.count[row], take, Sums.of_nothing(width, size))
    total = jnp.where(sums.total == 0, 1, sums.total)
    context[...] = (sums.context / total)[None].astype(context.dtype)
    focus[...] = (sums.focus / total).mean(-1, keepdims=True)[None]
