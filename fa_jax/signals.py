"""Signals that are handled otherwise for a while."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled(numbers: Sequence[int], by: Callable[[int, Any], object] | int) -> Iterator[None]:
    """While entered. Behind it, what handled them before does so again. The main thread alone has
    signals."""
    if threading.current_thread() is not threading.main_thread():
        numbers = ()
    before = {number: signal.signal(number, by) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
