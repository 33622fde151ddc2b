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
    lines: Sequence[str]
    answers: asyncio.Future


class LineQueue:
    """Lines wait here for the one thread that translates.

    Each comes with an order: a function of lines that gives an answer a line. Those of equal orders
    make a batch. A search cannot be stopped, so lines that are more than a batch wait in pieces,
    each behind whoever came meanwhile.
    """

    def __init__(self, most: int):
        """most: lines that may wait. A request that finds nobody waiting is always taken."""
        self._most, self._count = most, 0
        self._waiting: dict[Callable, list[Job]] = {}
        self._arrived = asyncio.Event()

    async def ask(self, order: Callable, lines: Sequence[str]) -> list[Any]:
        """An answer a line. Whoever stops waiting is not answered, and costs nothing more.

        Raises:
          Full: too many lines wait. And what the order raises for these lines.
        """
        if self._count and self._count + len(lines) > self._most:
            raise Full
        self._count += len(lines)
        answers, pieces = [], deque(in_pieces(lines))
        try:
            while pieces:
                answers += await self._ask_at_once(order, pieces.popleft())
        finally:
            self._count -= sum(map(len, pieces))  # some are left where it failed, or was given up
        return answers

    async def _ask_at_once(self, order: Callable, lines: Sequence[str]) -> list[Any]:
        job = Job(lines, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(order, []).append(job)
        self._arrived.set()
        try:
            return await job.answers
        finally:
            self._leave(order, job)

    async def work(self):
        """Answers whoever waits, until it is cancelled."""
        with ThreadPoolExecutor(1, "translator") as thread:
            while True:
                await self._arrived.wait()
                await self._gathered()
                if self._waiting:
                    await _answer(thread, *self._next_batch())
                else:
                    self._arrived.clear()

    async def _gathered(self):
        for _ in range(PAUSES):
            before = self._count
            await asyncio.sleep(PAUSE)
            if self._count <= before:
                break

    def _next_batch(self) -> tuple[Callable, list[Job]]:
        """Of the order that has waited longest; those that find no room wait behind the others."""
        order = next(iter(self._waiting))
        jobs = self._waiting.pop(order)
        (taken, *_) = in_pieces([line for job in jobs for line in job.lines])
        ends = accumulate(len(job.lines) for job in jobs)
        count = max(1, sum(end <= len(taken) for end in ends))
        if rest := jobs[count:]:
            self._waiting[order] = rest
        self._count -= sum(len(job.lines) for job in jobs[:count])
        return order, jobs[:count]

    def _leave(self, order: Callable, job: Job):
        """Whoever gave up no longer waits; those who were answered have left before."""
        jobs = self._waiting.get(order, [])
        if job in jobs:
            jobs.remove(job)
            self._count -= len(job.lines)
            if not jobs:
                del self._waiting[order]


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


async def _answer(thread: ThreadPoolExecutor, order: Callable, jobs: list[Job]):
    """Where a batch fails, each of its requests is tried alone: one is not to spoil the others."""
    lines = [line for job in jobs for line in job.lines]
    try:
        found = await asyncio.get_running_loop().run_in_executor(thread, order, lines)
    except Exception as error:
        for job in jobs:
            if len(jobs) > 1:
                await _answer(thread, order, [job])
            elif not job.answers.done():
                job.answers.set_exception(error)
        return
    each = iter(found)
    for job in jobs:
        answers = list(islice(each, len(job.lines)))
        if not job.answers.done():
            job.answers.set_result(answers)
