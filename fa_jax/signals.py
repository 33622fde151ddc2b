"""Signals that are handled otherwise for a while."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled(numbers: Sequence[int], by: Callable[[int, Any], object] | int) -> Iterator[None]:
    """While entered. Behind it, what handled them before does so again."""
    before = {number: signal.signal(number, by) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
