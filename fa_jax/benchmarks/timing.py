"""Times that compare: sides alternate in one run, after compilation; medians and spread."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax


@dataclass(frozen=True)
class Timing:
    """seconds: the median. spread: half the distance of the quartiles ÷ the median.

    compilation: seconds of the first call, less the median.
    """

    seconds: float
    spread: float
    compilation: float


def alternate(sides: dict[str, Callable[[], Any]], rounds: int) -> dict[str, Timing]:
    """Times each side `rounds` times, one after the other; each returns JAX arrays."""
    first: dict[str, float] = {name: _seconds(side) for name, side in sides.items()}
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            times[name].append(_seconds(side))
    return {name: _timing(first[name], seconds) for name, seconds in times.items()}


def _seconds(side: Callable[[], Any]) -> float:
    began = time.perf_counter()
    jax.block_until_ready(side())
    return time.perf_counter() - began


def _timing(first: float, seconds: list[float]) -> Timing:
    median = statistics.median(seconds)
    low, _, high = statistics.quantiles(seconds, n=4)
    return Timing(median, (high - low) / 2 / median, max(0.0, first - median))
