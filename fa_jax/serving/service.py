"""Runs behind a queue, and how they say no."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException

from fa_jax.data.sentences import sentences
from fa_jax.errors import UserError
from fa_jax.runs.run import Run
from fa_jax.serving.limits import Limits
from fa_jax.serving.queue import Full, LineQueue


@dataclass(frozen=True)
class Service:
    """What a server has: its runs, its limits, and those who wait."""

    runs: tuple[Run, ...]
    limits: Limits
    queue: LineQueue

    async def answer(
        self, order: Callable, run: Run, lines: Sequence[str], split: bool
    ) -> list[Any]:
        """An answer a line. split: whether each is translated sentence by sentence.

        Raises:
          HTTPException: the lines are too many or too long, too many wait already, or it takes too
            long; or it fails.
        """
        self._check(run, lines, split)
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await self.queue.ask(order, lines)
        except Full:
            raise HTTPException(
                503, "too many texts wait already: try again later", {"Retry-After": "1"}
            ) from None
        except TimeoutError:
            took = f"this took longer than {self.limits.seconds:g} seconds"
            raise HTTPException(504, f"{took}: send less, or try again later") from None
        except UserError as error:
            raise HTTPException(400, str(error)) from None
        except Exception:
            logging.getLogger(__name__).exception("a batch failed, and this request alone, too")
            raise HTTPException(500, "the server failed at this; its output says more") from None

    def _check(self, run: Run, lines: Sequence[str], split: bool):
        most = self.limits.lines
        if len(lines) > most:
            raise HTTPException(
                400, f"{len(lines):,} lines are more than the {most:,} of a request"
            )
        _check_length("line", lines, self.limits.letters)
        language = run.source.language
        read = [part for line in lines for part in (sentences(line, language) if split else [line])]
        # It is translated to its end: a token has at least one letter, but for a space before the
        # sentence and an end behind it.
        _check_length("sentence", read, max(1, run.config.decoding.max_source_length - 2))


def _check_length(what: str, texts: Sequence[str], longest: int):
    length = max(map(len, texts))
    if length > longest:
        raise HTTPException(
            400, f"a {what} of {length:,} letters is longer than the {longest:,} that are taken"
        )


def split_of(value: Any) -> bool:
    """Whether a request wants its lines translated sentence by sentence. value: true or false, or
    their text; None: true.

    Raises:
      HTTPException: it is neither.
    """
    known = {"true": True, "false": False, "none": True}
    if str(value).lower() not in known:
        raise HTTPException(400, f"split must be true or false, got {value!r:.40}")
    return known[str(value).lower()]


def threshold_of(value: Any, run: Run) -> float:
    """τ of a request. value: a number, its text or "inf"; None: the run's own.

    Raises:
      HTTPException: it is no number above 0.
    """
    if value is None:
        return run.config.decoding.threshold
    try:
        number = float(value) if isinstance(value, int | float | str) else -1.0
    except (ValueError, OverflowError):
        number = -1.0
    if not number > 0:
        raise HTTPException(400, f"threshold must be a number above 0, or 'inf', got {value!r:.40}")
    return number
