"""A step of attention in windows of 16 positions, in longer and longer sentences."""

from collections.abc import Callable
from functools import partial
from typing import Any

from experiments.accelerator.conditions import Conditions
from experiments.benchmarks.long_sentences import LENGTHS
from experiments.benchmarks.steps import attention_sides
from experiments.benchmarks.timing import alternate
from fa_jax.attention import Concat
from fa_jax.attention.implementation import IMPLEMENTATIONS

WINDOW = 16


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """A row for each length."""
    lengths, size, rounds = (LENGTHS[:2], 16, 2) if conditions.smallest else (LENGTHS, 500, 40)
    return {f"{n:,}": partial(_row, n, size, rounds) for n in lengths}


def _row(length: int, size: int, rounds: int) -> dict[str, Any]:
    sides, window = attention_sides(
        Concat(), length, WINDOW, 1, 20, size, apart=WINDOW, implementations=tuple(IMPLEMENTATIONS)
    )
    times = alternate(sides, rounds)
    dense = times["dense"].seconds
    return {
        "window": window,
        **{f"{name}_ms": timing.seconds * 1e3 for name, timing in times.items()},
        "windowed_to_dense": times["windowed"].seconds / dense,
        "spread": max(timing.spread for timing in times.values()),
    }
