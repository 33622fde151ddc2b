"""Work that is shared: by a process a core, or by the machines of Apache Beam."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from joblib import Parallel, cpu_count, delayed
from joblib.externals.loky import get_reusable_executor

from fa_jax.errors import UserError

X, Y = TypeVar("X"), TypeVar("Y")
Share = Callable[..., Iterator[Any]]
"""`share(function, items, worth=...)` calls the function with each item, and yields something for
each when it is done, in their order. worth: whether other processes, which take seconds to start,
are; else all is done in this one."""


def on_all_cores(function: Callable[[X], Y], items: Sequence[X], *, worth: bool) -> Iterator[Y]:
    """A `Share` that yields what the function returns. By joblib: its processes do not run the
    program's `__main__` again."""
    if not worth:
        yield from map(function, items)
        return
    jobs = min(cpu_count(), len(items))
    yield from Parallel(n_jobs=jobs, return_as="generator")(map(delayed(function), items))
    get_reusable_executor().shutdown()


def by_beam(options: Sequence[str]) -> Share:
    """A `Share` whose machines are those of a runner of Apache Beam. What the function writes must
    lie where all of them find it.

    options: Beam's own, such as ["runner=FlinkRunner", "flink_master=host:8081"].

    Raises:
      UserError: Beam is not installed.
    """
    try:
        import apache_beam as beam
    except ImportError as error:
        raise UserError("Apache Beam is not installed: pip install 'fa-jax[beam]'") from error

    def share(function: Callable[[X], Y], items: Sequence[X], *, worth: bool) -> Iterator[X]:
        given = ["default_sdk_harness_log_level=WARNING", *options]
        with beam.Pipeline(argv=[f"--{option}" for option in given]) as pipeline:
            _ = pipeline | beam.Create(items) | beam.Reshuffle() | beam.Map(function)
        yield from items

    return share
