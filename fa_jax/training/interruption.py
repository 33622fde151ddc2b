"""SIGTERM and Ctrl-C end a run between two steps, not inside one."""

import signal
from types import FrameType


class Interruption:
    """While entered, `signal` is None until one arrives; a second one ends the program at once."""

    SIGNALS = (signal.SIGTERM, signal.SIGINT)

    def __init__(self):
        self.signal: signal.Signals | None = None

    def __enter__(self) -> "Interruption":
        self._before = {number: signal.signal(number, self._note) for number in self.SIGNALS}
        return self

    def __exit__(self, *_):
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None):
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = signal.Signals(number)
