"""Lines that wait together are answered together, by one thread.

All but the thread's own work happens in the server's event loop, so nothing needs a lock.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

TOGETHER = 128
"""Lines of a batch: as many as a search of 16 places takes up."""
LETTERS = 8000
"""Of a batch, at most, unless its only line has more. Who comes while it is searched waits for no
more."""
PAUSE, PAUSES = 0.005, 10
"""A batch begins when nobody came for so many seconds, or after so many such pauses: clients that
were answered together ask again together."""


class Full(Exception):
    """So many lines wait already that these cannot."""


@dataclass(frozen=True, eq=False)
class Job:
    """order: a function of lines that gives an answer a line. pieces: those that still wait.
    answers: of the pieces before. whole: of all, when they are there."""

    order: Callable
    pieces: deque[list[str]]
    answers: list[Any]
    whole: asyncio.Future


class LineQueue:
    """Lines wait here for the one thread that translates.

    Each comes with an order. Those of equal orders make a batch. A search cannot be stopped, so
    lines that are more than a batch wait in pieces, each behind whoever came meanwhile.
    """

    def __init__(self, most: int):
        """most: lines that may wait. A request that finds nobody waiting is always taken."""
        self._most = most
        self._jobs: list[Job] = []
        self._arrived = asyncio.Event()

    async def ask(self, order: Callable, lines: Sequence[str]) -> list[Any]:
        """An answer a line. Whoever stops waiting is not answered, and costs nothing more.

        Raises:
          Full: too many lines wait. And what the order raises for these lines.
        """
        if (count := self._count()) and count + len(lines) > self._most:
            raise Full
        whole = asyncio.get_running_loop().create_future()
        job = Job(order, deque(in_pieces(lines)), [], whole)
        self._jobs.append(job)
        self._arrived.set()
        try:
            return await whole
        finally:
            self._jobs.remove(job)

    async def work(self):
        """Answers whoever waits, until it is cancelled."""
        with ThreadPoolExecutor(1, "translator") as thread:
            while True:
                await self._arrived.wait()
                await self._gathered()
                if jobs := self._jobs and self._next():
                    await _answer(thread, [(job, job.pieces.popleft()) for job in jobs])
                    self._jobs.sort(key=jobs.__contains__)  # behind the others
                else:
                    self._arrived.clear()

    async def _gathered(self):
        for _ in range(PAUSES):
            before = self._count()
            await asyncio.sleep(PAUSE)
            if self._count() <= before:
                break

    def _count(self) -> int:
        return sum(len(piece) for job in self._jobs for piece in job.pieces)

    def _next(self) -> list[Job]:
        """Those whose next pieces make a batch: of the order that has waited longest. Others of it,
        for whom there is no room, wait behind all."""
        waiting = [job for job in self._jobs if job.pieces and not job.whole.done()]
        alike = [job for job in waiting if job.order == waiting[0].order]
        pieces = [job.pieces[0] for job in alike]
        fitting = len(next(iter(in_pieces([line for piece in pieces for line in piece])), []))
        count = sum(end <= fitting for end in accumulate(map(len, pieces)))
        self._jobs.sort(key=alike[count:].__contains__)
        return alike[:count]


def in_pieces(lines: Sequence[str]) -> list[list[str]]:
    """Lines in the same order, each piece no more than a batch."""
    pieces, letters = [], 0
    for line in lines:
        letters += len(line)
        if not pieces or len(pieces[-1]) == TOGETHER or letters > LETTERS:
            pieces.append([])
            letters = len(line)
        pieces[-1].append(line)
    return pieces


async def _answer(thread: ThreadPoolExecutor, batch: Sequence[tuple[Job, list[str]]]):
    """Where a batch fails, each of its requests is tried alone: one is not to spoil the others."""
    order, lines = batch[0][0].order, [line for _, piece in batch for line in piece]
    try:
        found = iter(await asyncio.get_running_loop().run_in_executor(thread, order, lines))
    except Exception as error:
        for job, piece in batch:
            if len(batch) > 1:
                await _answer(thread, [(job, piece)])
            elif not job.whole.done():
                job.whole.set_exception(error)
        return
    for job, piece in batch:
        job.answers.extend(islice(found, len(piece)))
        if not job.pieces and not job.whole.done():
            job.whole.set_result(job.answers)
