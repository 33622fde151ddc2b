"""Runs behind a queue, and how they say no."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from fa_jax.data.sentences import sentences
from fa_jax.errors import UserError
from fa_jax.runs.run import Run
from fa_jax.serving.limits import Limits
from fa_jax.serving.orders import Order
from fa_jax.serving.queue import Full, LineQueue


@dataclass(frozen=True)
class Service:
    """What a server has: its runs, its limits, those who wait, a file for suggestions if it keeps
    any, and the files that it translated last, by their keys."""

    runs: tuple[Run, ...]
    limits: Limits
    queue: LineQueue
    suggestions: Path | None = None
    files: dict[str, bytes] = field(default_factory=dict)

    async def answer(self, order: Order, lines: Sequence[str]) -> list[Any]:
        """An answer a line.

        Raises:
          UserError: there is no text, or the lines are too many or too long.
          HTTPException: too many wait already, or it takes too long; or it fails.
        """
        self._check(order, lines)
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
        except UserError:
            raise
        except Exception:
            logging.getLogger(__name__).exception("a batch failed, and this request alone, too")
            raise HTTPException(500, "the server failed at this; its output says more") from None

    def _check(self, order: Order, lines: Sequence[str]):
        lines = [*map(order.read, lines)]
        if not any(map(str.strip, lines)):
            raise UserError("there is no text to translate")
        most = self.limits.lines
        if len(lines) > most:
            raise UserError(f"{len(lines):,} lines are more than the {most:,} of a request")
        _check_length("line", lines, self.limits.letters)
        run = order.run
        parts = [sentences(line, run.source.language) if order.split else [line] for line in lines]
        # It is translated to its end: a token has at least one letter, but for a space before the
        # sentence and an end behind it.
        longest = max(1, run.config.decoding.max_source_length - 2)
        _check_length("sentence", [text for part in parts for text in part], longest)


def _check_length(what: str, texts: Sequence[str], most: int):
    if (size := max(map(len, texts))) > most:
        raise UserError(f"a {what} of {size:,} letters is longer than the {most:,} that are taken")
