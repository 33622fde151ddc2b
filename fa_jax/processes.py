"""Work on all cores, by joblib: its processes do not run the program's `__main__` again."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from joblib import Parallel, cpu_count, delayed
from joblib.externals.loky import get_reusable_executor

X, Y = TypeVar("X"), TypeVar("Y")


def on_all_cores(function: Callable[[X], Y], items: Sequence[X], *, worth: bool) -> Iterator[Y]:
    """What the function makes of each item, in their order, as soon as it is there.

    worth: whether other processes, which take seconds to start, are; else all is done in this one.
    """
    if not worth:
        yield from map(function, items)
        return
    jobs = min(cpu_count(), len(items))
    yield from Parallel(n_jobs=jobs, return_as="generator")(map(delayed(function), items))
    get_reusable_executor().shutdown()
