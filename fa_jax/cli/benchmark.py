"""`fa-jax benchmark`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

from fa_jax.benchmarks import BENCHMARKS

BENCHMARKS_HELP = "; ".join(f"{name}: {question}" for name, question in BENCHMARKS.items())


@dataclass(frozen=True)
class Command:
    """Measure speed on this machine, with all benchmarks or with those that you name."""

    names: Annotated[Positional[tuple[str, ...]], tyro.conf.arg(help=BENCHMARKS_HELP)] = ()
    rounds: int = 0
    """How often each side is timed. 0: the benchmark's own number."""
    output: Path | None = None
    """A folder to write NAME.json, NAME.md and a summary, benchmarks.md, into."""

    def __call__(self):
        from fa_jax.benchmarks import report

        report.run(self.names, self.rounds, self.output)
