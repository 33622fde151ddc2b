"""How far are the implementations from each other, for each score under a flexible span?"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

import fa_jax
from experiments.accelerator.conditions import Conditions
from experiments.benchmarks.steps import SIGMA
from fa_jax.attention import AttentionConfig

THRESHOLD = 1.2
PRECISIONS = ("highest", "default")


class Sizes(NamedTuple):
    sentences: int = 8
    queries: int = 5
    length: int = 200
    units: int = 256


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """A row for each score."""
    sizes = Sizes(2, 2, 24, 8) if conditions.smallest else Sizes()
    return {name: partial(_row, name, sizes) for name in fa_jax.SCORES}


def _row(score: str, sizes: Sizes) -> dict[str, Any]:
    config = AttentionConfig(fa_jax.SCORES[score]().for_sources(sizes.length), "flexible")
    inputs, row, exact = _inputs(config, sizes), {}, None
    for precision in PRECISIONS:
        dense = _attended(config, inputs, "dense", precision)
        found = _attended(config, inputs, "windowed", precision)
        row[f"windowed, {precision}"] = difference(found, dense)
        exact = exact or dense
    return row | {"dense, default": difference(dense, exact)}


def difference(found: PyTree[Array], wanted: PyTree[Array]) -> float:
    """The largest of all numbers, relative where one is above 1."""

    def largest(a: Array, b: Array) -> float:
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        return float((np.abs(a - b) / np.maximum(1, np.abs(b))).max())

    return float(np.max(jax.tree.leaves(jax.tree.map(largest, found, wanted))))


def _inputs(config: AttentionConfig, sizes: Sizes) -> tuple[PyTree, ...]:
    """Parameters, query, feedback, focus, annotations and lengths.

    A flexible span has windows of many widths, most of them around an eighth of the longest
    sentence.
    """
    random, units = np.random.default_rng(0), sizes.units
    of_units = {f"{name}_size": units for name in ("query", "memory", "feedback", "attention")}
    params = fa_jax.init_attention(jax.random.key(0), config, **of_units)
    params = jax.tree.map(lambda leaf: 2 * leaf, params)
    if "strength" in params:
        strength = min(0.5, 2 * SIGMA**2 * THRESHOLD / (sizes.length / 16) ** 2)
        params["strength"]["bias"] = jnp.float32(np.log(strength / (1 - strength)))
    rows = sizes.sentences, sizes.queries
    shapes = (*rows, units), (*rows, units), (sizes.sentences, sizes.length, units)
    query, feedback, annotations = (
        jnp.asarray(random.normal(size=shape), jnp.float32) for shape in shapes
    )
    focus = jnp.asarray(random.uniform(0, sizes.length, rows), jnp.float32)
    lengths = random.integers(sizes.length // 2, sizes.length + 1, sizes.sentences)
    return params, query, feedback, focus, annotations, jnp.asarray(lengths, jnp.int32)


def _attended(
    config: AttentionConfig, inputs: tuple[PyTree, ...], implementation: str, precision: str
) -> tuple[Float[Array, "B K D"], Float[Array, "B K"]]:
    """Context and focus."""

    @jax.jit
    def attend(params, query, feedback, focus, annotations, lengths):
        memory = fa_jax.prepare_memory(params, annotations, lengths, config)
        state = fa_jax.initial_attention_state(memory, config)
        repeat = partial(jnp.repeat, repeats=focus.shape[1], axis=1)
        state = jax.tree.map(lambda leaf: repeat(leaf[:, None]), state).replace(focus=focus)
        out = fa_jax.attend(
            params,
            config,
            query,
            feedback,
            state,
            memory,
            threshold=THRESHOLD,
            implementation=implementation,
            details=False,
        )
        return out.context, out.state.focus

    with jax.default_matmul_precision(precision):
        return attend(*inputs)
