"""A row's window in a kernel for NVIDIA's GPUs: one position after the other.

A warpgroup computes a row. It loads a position's keys and annotation straight into registers, a
part to each of its threads. A GPU has many rows at once: while one waits, another computes.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu
from jaxtyping import Array, Float, PyTree

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.chunks import rows_of
from fa_jax.attention.kernel.sums import Row, Sums, add_block
from fa_jax.attention.kernel.unit_axes import without_unit_axes
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step

THREADS = 128
"""Of a warpgroup. Vectors have a multiple of it: zeros are added to the last axis of others."""


def context_and_focus(
    config: AttentionConfig, step: Step, reach: Reach, *, interpret: Any
) -> tuple[Float[Array, "B K D"], Float[Array, "B K"]]:
    """interpret: as in `mosaic_gpu.kernel`."""
    (sentences, queries), annotations = reach.first.shape, step.memory.annotations
    rows, (_, length, size) = sentences * queries, annotations.shape
    vectors = jax.tree.map(
        _in_whole_warpgroups,
        {
            "query": rows_of(step.query),
            "params": {name: step.params["score"][name] for name in config.score.in_kernel},
            "memory": (step.memory.keys, annotations),
        },
    )
    scalars = {
        "first": jnp.maximum(reach.first, 0).reshape(rows),
        "last": jnp.minimum(reach.last, length - 1).reshape(rows),
        "prior": jax.tree.map(lambda x: x.reshape(rows), reach.prior),
        "settings": {k: v[None] for k, v in vars(config.span).items() if isinstance(v, jax.Array)},
    }
    inputs, structure = jax.tree.flatten(vectors | scalars)
    whole = vectors["memory"][1].shape[-1]
    context, focus = plgpu.kernel(
        lambda *refs: _row(config, queries, jax.tree.unflatten(structure, refs[:-2]), *refs[-2:]),
        out_type=[
            jax.ShapeDtypeStruct((rows, whole), annotations.dtype),
            jax.ShapeDtypeStruct((rows,), jnp.float32),
        ],
        grid=(rows,),
        grid_names=("row",),
        compiler_params=plgpu.CompilerParams(
            lowering_semantics=plgpu.LoweringSemantics.Warpgroup  # jax 0.10's own default is older
        ),
        interpret=interpret,
    )(*inputs)
    context = context[:, :size].reshape(sentences, queries, size)
    return context, focus.reshape(sentences, queries)


def _in_whole_warpgroups(x: Float[Array, "*N F"]) -> Float[Array, "*N G"]:
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % THREADS)])


def _row(config: AttentionConfig, queries: int, refs: dict[str, Any], context: Any, focus: Any):
    """What the kernel does for one row. refs: of what `context_and_focus` hands over."""
    number = jax.lax.axis_index("row")
    first, last, query, prior = (
        jax.tree.map(lambda ref: ref[number], refs[name])
        for name in ("first", "last", "query", "prior")
    )
    params = jax.tree.map(lambda ref: ref[...], refs["params"])
    settings = jax.tree.map(lambda ref: ref[0], refs["settings"])
    row = Row(first, last, query, prior, params, settings)

    memory, size = refs["memory"], context.shape[1]
    add = without_unit_axes(
        partial(add_block, config),
        row.replace(query=_with_axes(query), prior=_with_axes(prior)),
        jax.eval_shape(partial(Sums.of_nothing, 1, size)),
        number,
        *_with_axes(memory),
    )

    def take(place: Array, sums: Sums) -> Sums:
        keys, annotations = (ref[jax.lax.div(number, queries), place] for ref in memory)
        return add(row, sums, place, keys, annotations)

    nothing = without_unit_axes(partial(Sums.of_nothing, 1, size))()
    sums = jax.lax.fori_loop(first, last + 1, take, nothing)
    found = without_unit_axes(Sums.means, jax.eval_shape(partial(Sums.of_nothing, 1, size)))(sums)
    context[number], focus[number] = found[0].astype(context.dtype), found[1]


def _with_axes(tree: PyTree) -> PyTree:
    """A row's part of each array, or a position's, as `add_block` knows it: [1, F] or [1, 1]."""
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct((1, *(x.shape[-1:] or (1,))), x.dtype), tree)
