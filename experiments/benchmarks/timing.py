"""Times that compare: sides alternate in one run, after compilation; medians and spread."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np


@dataclass(frozen=True)
class Timing:
    """seconds: the median. spread: half the distance of the quartiles ÷ the median.

    compilation: seconds of the first call, less the median.
    """

    seconds: float
    spread: float
    compilation: float


def alternate(sides: dict[Any, Callable[[], Any]], rounds: int) -> dict[Any, Timing]:
    """Times each side, one after the other, round by round.

    sides: by any name, functions that return JAX arrays. rounds: times that each is timed, behind
    a first call.
    """
    first = {name: _seconds(side) for name, side in sides.items()}
    times = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            times[name].append(_seconds(side))
    return {name: _timing(first[name], seconds) for name, seconds in times.items()}


def _seconds(side: Callable[[], Any]) -> float:
    began = time.perf_counter()
    jax.block_until_ready(side())
    return time.perf_counter() - began


def _timing(first: float, seconds: list[float]) -> Timing:
    low, median, high = np.percentile(seconds, (25, 50, 75)).tolist()
    return Timing(median, (high - low) / 2 / median, max(0.0, first - median))
