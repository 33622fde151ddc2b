"""A candidate for GPUs: a step in windows as one kernel, and its gradient as another.

A row is one query of one sentence. A program of the kernel takes some of the tiles of one row's
window, so that rows and parts of a row run side by side. It reads a tile of keys and annotations,
evaluates the score, and keeps the sums of a running softmax. What comes behind adds up the parts.
Pallas' Triton lowering makes it a program of GPUs from A100 and L4 on.

It serves scores of one number a position that multiply no matrices: `concat`, `feedback`, `dot`,
`general`, and scores of one's own. `fine_grained` and `tensor` multiply matrices, `location` looks
numbers up, and positions of `recurrent` remember something.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton
from jaxtyping import Array, Bool, Float, Int, PyTree

from experiments.accelerator.products_as_sums import products_as_sums
from fa_jax.attention import AttentionConfig, learnt_in_windows, windowed
from fa_jax.attention.running_softmax import RunningSoftmax
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step
from fa_jax.attention.window_chunks import rows_of

LOWEST = -1e30
"""Below every score, and still a number."""


@dataclass(frozen=True)
class Tiling:
    """How windows are cut.

    positions: of a tile. parts: programs of a row. warps: of a program, 32 threads each.
    interpret: whether it runs without a GPU, operation by operation.
    """

    positions: int = 16
    parts: int = 2
    warps: int = 8
    interpret: bool = False


@contextmanager
def computing_windows(tiling: Tiling) -> Iterator[None]:
    """Here all windows of fa_jax are computed by the kernels."""
    of_chunks = windowed.sums_in_windows

    def sums(config: AttentionConfig, step: Step, reach: Reach, *, keep: bool = False):
        if keep:
            return of_chunks(config, step, reach, keep=True)
        return sums_in_tiles(tiling, config, step, reach), None

    forward, backward = learnt_in_windows._forward, learnt_in_windows._backward
    modules = windowed, learnt_in_windows
    for module in modules:
        module.sums_in_windows = sums
    learnt_in_windows._means.defvjp(forward, partial(gradient_in_tiles, tiling))
    try:
        yield
    finally:
        for module in modules:
            module.sums_in_windows = of_chunks
        learnt_in_windows._means.defvjp(forward, backward)


def sums_in_tiles(
    tiling: Tiling, config: AttentionConfig, step: Step, reach: Reach
) -> RunningSoftmax:
    """The sums over each row's window."""
    row = jax.tree.map(rows_of, (step.query, reach.prior))
    number, vector = (
        jax.ShapeDtypeStruct(axes, jnp.float32) for axes in ((), step.memory.annotations.shape[2:])
    )
    like = RunningSoftmax(number, number, vector, number)
    parts, _ = _run(tiling, partial(_part_of_sums, config), step, reach, row, like)
    highest = parts.highest.max(1)
    share = jnp.exp(parts.highest - highest[:, None])
    return RunningSoftmax(
        highest,
        (share * parts.total).sum(1),
        (share[..., None] * parts.context).sum(1),
        (share * parts.focus).sum(1),
    )


def gradient_in_tiles(
    tiling: Tiling, config: AttentionConfig, residuals: Any, gradients: Any
) -> tuple[Any, ...]:
    """As `learnt_in_windows` has it: of parameters, query and prior, and of the taps."""
    step, reach, log_total, (context, focus) = residuals
    (of_context, of_focus), taps = gradients
    average = (of_context * context).sum(-1) + of_focus * focus
    learnt = jax.tree.map(rows_of, (step.query, reach.prior))
    row = (*learnt, log_total, of_context, of_focus, average)
    like = step.params["score"], jax.tree.map(lambda x: x[0], learnt)
    like = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, jnp.float32), like)
    whole = [tap.reshape(len(tap), -1, *tap.shape[3:]) for tap in taps]
    part = partial(_part_of_gradient, config)
    (for_params, for_rows), whole = _run(tiling, part, step, reach, row, like, whole)
    for_params = jax.tree.map(lambda x: x.sum((0, 1)), for_params)
    for_rows = jax.tree.map(lambda x: x.sum(1), for_rows)
    learnt = step.params["score"], step.query, reach.prior
    found = jax.tree.map(
        lambda x, y: x.reshape(y.shape).astype(y.dtype), (for_params, *for_rows), learnt
    )
    return found, tuple(x.reshape(t.shape) for x, t in zip(whole, taps, strict=True)), None, None


@dataclass(frozen=True)
class Tile:
    """Some positions of a window. keys, annotations: [1, T, ...], 0 outside of it."""

    at: pl.Slice
    position: Float[Array, " T"]
    inside: Bool[Array, " T"]
    keys: PyTree
    annotations: Float[Array, "1 T D"]


@dataclass(frozen=True)
class Part:
    """What one program reads. row: leaves [1, ...]. Units are filled up to powers of two by 0.

    tiles: how many there are; tile: reads one. add: adds to an array of the sentence, in place.
    """

    params: PyTree
    row: PyTree
    tiles: Int[Array, ""]
    tile: Callable[[Int[Array, ""]], Tile]
    add: Callable[[int, Tile, Float[Array, "1 T X"]], None]

    def over_tiles(self, add: Callable[[Tile, PyTree], PyTree], nothing: PyTree) -> PyTree:
        """What comes out when each tile has added to it."""
        return jax.lax.fori_loop(0, self.tiles, lambda n, x: add(self.tile(n), x), nothing)


def _terms(
    config: AttentionConfig, tile: Tile, params: PyTree, query: Array, prior: PyTree, keys: PyTree
) -> tuple[Float[Array, " T"], Float[Array, " T"]]:
    """As `windowed.terms`, of one row's tile."""
    scores = config.score.evaluate(params, query[:, None], keys, ())
    prior = jax.tree.map(lambda x: x[:, None], prior)
    places = tile.position[None, None]
    bias, factor = (
        jnp.broadcast_to(part(prior, places), places.shape)
        for part in (config.span.bias, config.span.factor)
    )
    return (scores + bias).reshape(-1), factor.reshape(-1)


def _part_of_sums(config: AttentionConfig, part: Part) -> RunningSoftmax:
    query, prior = part.row

    def add(tile: Tile, so_far: RunningSoftmax) -> RunningSoftmax:
        terms = products_as_sums(partial(_terms, config, tile))
        scores, factor = terms(part.params, query, prior, tile.keys)
        scores = jnp.where(tile.inside, scores, LOWEST)
        highest = jnp.maximum(so_far.highest, scores.max())
        before = jnp.exp(so_far.highest - highest)
        each = jnp.where(tile.inside, jnp.exp(scores - highest), 0)
        counted = each * factor
        context = (counted[:, None] * tile.annotations[0].astype(jnp.float32)).sum(0)
        return RunningSoftmax(
            highest,
            so_far.total * before + each.sum(),
            so_far.context * before + context,
            so_far.focus * before + (counted * tile.position).sum(),
        )

    zero, size = jnp.float32(0), part.tile(0).annotations.shape[2]
    nothing = RunningSoftmax(jnp.float32(LOWEST), zero, jnp.zeros(size, jnp.float32), zero)
    return part.over_tiles(add, nothing)


def _part_of_gradient(config: AttentionConfig, part: Part) -> PyTree:
    """See `learnt_in_windows._backward` for the formula."""
    query, prior, log_total, of_context, of_focus, average = part.row

    def found(tile: Tile, params: PyTree, query: Array, prior: PyTree, keys: PyTree) -> PyTree:
        terms = partial(_terms, config, tile)
        (scores, factor), back = jax.vjp(terms, params, query, prior, keys)
        weights = jnp.exp(jnp.where(tile.inside, scores - log_total, LOWEST))
        alike = (tile.annotations[0].astype(jnp.float32) * of_context).sum(-1)
        alike += of_focus * tile.position
        counted = weights * factor
        return *back((weights * (factor * alike - average), weights * alike)), counted

    def add(tile: Tile, so_far: PyTree) -> PyTree:
        at_tile = products_as_sums(partial(found, tile))
        *more, for_keys, counted = at_tile(part.params, query, prior, tile.keys)
        for_annotations = counted[:, None] * of_context
        for number, x in enumerate((for_annotations[None], *jax.tree.leaves(for_keys))):
            part.add(number, tile, x)
        return jax.tree.map(lambda x, y: x + y.astype(x.dtype), so_far, tuple(more))

    learnt = part.params, query, prior
    nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, jnp.float32), learnt)
    for_params, *for_row = part.over_tiles(add, nothing)
    return for_params, tuple(jax.tree.map(lambda x: x[0], for_row))


def _run(
    tiling: Tiling,
    compute: Callable[[Part], PyTree],
    step: Step,
    reach: Reach,
    row: PyTree,
    like: PyTree,
    changing: Sequence[Array] = (),
) -> tuple[PyTree, list[Array]]:
    """Computes each part of each row in a program of its own.

    row: what a row has, leaves [N, ...]. like: results of one part, which come as [N, parts, ...].
    changing: arrays of sentences, [B, S, ...], that are added to in place.
    """
    queries, parts, positions = reach.first.shape[1], tiling.parts, tiling.positions
    sentence = lambda row, part: row // queries  # noqa: E731
    by_sentence = partial(_block, of=sentence, behind=positions)
    inputs = (
        (rows_of(reach.first), rows_of(reach.last), row),
        step.params["score"],
        (step.memory.keys, step.memory.annotations),
        list(changing),
    )
    shapes = jax.tree.map(_Shape.of, inputs)
    leaves, structure = jax.tree.flatten(like)

    def program(
        of_row: PyTree, params: PyTree, of_sentence: PyTree, _: Any, found: PyTree, to: PyTree
    ):
        here, part = pl.ds(0, 1), pl.program_id(1)
        first, last, row = jax.tree.map(
            lambda ref, shape: _read(ref, shape, None, here), of_row, shapes[0]
        )
        first, last = first[0], last[0]

        def tile(number: Int[Array, ""]) -> Tile:
            at = pl.ds(first + (part + number * parts) * positions, positions)
            index = at.start + jnp.arange(positions)
            inside = index <= last
            read = lambda ref, shape: _read(ref, shape, inside, here, at)  # noqa: E731
            position = index.astype(jnp.float32)
            return Tile(at, position, inside, *jax.tree.map(read, of_sentence, shapes[2]))

        def add(number: int, tile: Tile, x: Float[Array, "1 T X"]):
            before = _read(to[number], shapes[3][number], tile.inside, here, tile.at)
            _write(to[number], shapes[3][number], before + x, tile.inside, here, tile.at)

        tiles = jnp.maximum(last - first + positions, 0) // positions
        result = compute(
            Part(
                jax.tree.map(lambda ref, shape: _read(ref, shape, None), params, shapes[1]),
                row,
                (tiles - part + parts - 1) // parts,
                tile,
                add,
            )
        )
        for ref, x, small in zip(found, jax.tree.leaves(result), leaves, strict=True):
            _write(ref, _Shape((1, 1, *small.shape)), x[None, None], None, here, here)

    rows = reach.first.size
    found, changed = pl.pallas_call(
        program,
        out_shape=(
            [jax.ShapeDtypeStruct((rows, parts, *x.shape), x.dtype) for x in leaves],
            [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in changing],
        ),
        grid=(rows, parts),
        in_specs=(
            jax.tree.map(partial(_block, of=lambda row, part: row), inputs[0]),
            jax.tree.map(partial(_block, of=None), inputs[1]),
            *jax.tree.map(by_sentence, inputs[2:]),
        ),
        out_specs=(
            [pl.BlockSpec((1, 1, *map(_even, x.shape)), _of_part(len(x.shape))) for x in leaves],
            [by_sentence(x) for x in changing],
        ),
        input_output_aliases={
            len(jax.tree.leaves(inputs[:3])) + i: len(leaves) + i for i in range(len(changing))
        },
        interpret=tiling.interpret,
        compiler_params=triton.CompilerParams(num_warps=tiling.warps, num_stages=2),
    )(*inputs)
    return jax.tree.unflatten(structure, found), changed


def _of_part(axes: int) -> Callable[..., tuple]:
    return lambda row, part: (row, part, *(0,) * axes)


@dataclass(frozen=True)
class _Shape:
    """Of an array, as a leaf of a tree. A reference to it is filled up to powers of two."""

    axes: tuple[int, ...]

    @classmethod
    def of(cls, x: Array) -> "_Shape":
        return cls(x.shape)


def _even(n: int) -> int:
    return pl.next_power_of_2(n)


def _block(x: Array, of: Callable[..., Int[Array, ""]] | None, behind: int = 0) -> pl.BlockSpec:
    """What a program may read: one entry along the first axis, or all. behind: positions that a
    tile may reach over the end."""
    first = (1,) if of else ()
    positions = (x.shape[1] + behind,) if behind else ()
    rest = tuple(map(_even, x.shape[len(first + positions) :]))
    at = (lambda *place: (of(*place), *(0,) * (x.ndim - 1))) if of else lambda *_: (0,) * x.ndim
    return pl.BlockSpec(first + positions + rest, at)


def _place(
    shape: _Shape, inside: Bool[Array, " T"] | None, at: Sequence[pl.Slice]
) -> tuple[tuple[pl.Slice, ...], Bool[Array, "..."]]:
    """Slices of a reference, and which of their numbers are there: units of the array, and along
    the second axis those inside."""
    units = [pl.ds(0, _even(n)) for n in shape.axes[len(at) :]]
    sizes = [part.size for part in (*at, *units)]
    mask = jnp.full(sizes, True)
    for axis, n in enumerate(shape.axes[len(at) :], len(at)):
        mask &= jax.lax.broadcasted_iota(jnp.int32, sizes, axis) < n
    if inside is not None:
        mask &= jax.lax.broadcast_in_dim(inside, sizes, (1,))
    return (*at, *units), mask


def _read(ref: Any, shape: _Shape, inside: Bool[Array, " T"] | None, *at: pl.Slice) -> Array:
    """What is not there is 0."""
    place, mask = _place(shape, inside, at)
    return triton.load(ref.at[place], mask=mask, other=0)


def _write(ref: Any, shape: _Shape, x: Array, inside: Bool[Array, " T"] | None, *at: pl.Slice):
    place, mask = _place(shape, inside, at)
    triton.store(ref.at[place], x.astype(ref.dtype), mask=mask)
