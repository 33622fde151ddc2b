"""`fa-jax benchmark`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from fa_jax.benchmarks import BENCHMARKS

NAMES_HELP = "; ".join(f"{name}: {question}" for name, question in BENCHMARKS.items())


@dataclass(frozen=True)
class Command:
    """Measure speed on this machine; all benchmarks, or those that are named."""

    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(help=NAMES_HELP)] = ()
    rounds: int = 0
    """Times that each side is timed; 0: the benchmark's own number."""
    output: Path | None = None
    """A folder: also write NAME.json, NAME.md and benchmarks.md, the summary, into it."""


def run(command: Command):
    from fa_jax.benchmarks import report

    report.run(command.names, command.rounds, command.output)
