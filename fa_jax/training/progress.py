"""How a run shows that it is getting on: a bar on a terminal, plain lines elsewhere."""

import sys
import time

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 15.0


class Progress:
    """Steps done of all, with the newest numbers beside them, on stderr."""

    def __init__(self, total: int, done: int):
        self._total, self._first, self._began = total, done, time.monotonic()
        self._last_line = 0.0
        self._bar = None
        if sys.stderr.isatty():
            self._bar = tqdm(total=total, initial=done, unit="step", dynamic_ncols=True)

    def show(self, step: int, row: dict[str, float | int]):
        """row: a training row of `metrics.jsonl`."""
        numbers = (
            f"loss {row['loss']:.2f}  g {row['strength']:.3f}  "
            f"{row['tokens_per_second']:,.0f} tokens/s"
        )
        if self._bar is not None:
            self._bar.set_postfix_str(numbers, refresh=False)
            self._bar.update(step - self._bar.n)
        elif time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES or step == self._total:
            self._last_line = time.monotonic()
            self.say(f"step {step}/{self._total}  {numbers}  {self._left(step)} left")

    def say(self, line: str):
        """A line of its own that does not disturb the bar."""
        tqdm.write(line, file=sys.stderr)

    def close(self):
        if self._bar is not None:
            self._bar.close()

    def _left(self, step: int) -> str:
        rate = (time.monotonic() - self._began) / max(1, step - self._first)
        minutes, seconds = divmod(round(rate * (self._total - step)), 60)
        return f"{minutes}:{seconds:02d}"
