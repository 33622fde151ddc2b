"""A benchmark as a program: it measures, and publishes beside the others."""

from collections.abc import Callable

from experiments.benchmarks.report import Report, publish
from experiments.measuring.folders import BENCHMARKS
from fa_jax.cache import set_up_process
from fa_jax.errors import UserError


def measure_and_publish(measure: Callable[[], Report]):
    """Prints what was measured and writes it to results/benchmarks.

    Raises:
      SystemExit: something that it needs is not there.
    """
    set_up_process()
    try:
        publish([measure()], BENCHMARKS)
    except UserError as error:
        raise SystemExit(str(error)) from None
