"""A step of attention in windows of 16 positions, in longer and longer sentences."""

from collections.abc import Callable
from functools import partial
from typing import Any

from experiments.accelerator.conditions import Conditions
from experiments.benchmarks.long_sentences import LENGTHS
from experiments.benchmarks.steps import attention_sides
from experiments.benchmarks.timing import alternate
from fa_jax.attention import AttentionConfig, Concat
from fa_jax.attention.implementation import why_no_kernel

WINDOW = 16


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """A row for each length. An accelerator that has the kernel is timed with it, too."""
    by_kernel = conditions.platform != "cpu" and not why_no_kernel(AttentionConfig(Concat()))
    kernel = ("kernel",) if by_kernel else ()
    implementations = ("dense", "windowed", *kernel)
    lengths, size, rounds = (LENGTHS[:2], 16, 2) if conditions.smallest else (LENGTHS, 500, 40)
    return {f"{n:,}": partial(_row, n, size, rounds, implementations) for n in lengths}


def _row(length: int, size: int, rounds: int, implementations: tuple[str, ...]) -> dict[str, Any]:
    sides, window = attention_sides(
        Concat(), length, WINDOW, 1, 20, size, apart=WINDOW, implementations=implementations
    )
    times = alternate(sides, rounds)
    dense = times["dense"].seconds
    return {
        "window": window,
        **{f"{name}_ms": timing.seconds * 1e3 for name, timing in times.items()},
        **{f"{name}_to_dense": times[name].seconds / dense for name in implementations[1:]},
        "spread": max(timing.spread for timing in times.values()),
    }
