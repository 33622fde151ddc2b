"""`python -m experiments.benchmarks NAME …`: how fast is it on this machine?"""

import sys
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

import fa_jax
from experiments.benchmarks import BENCHMARKS
from experiments.benchmarks.report import run
from fa_jax.errors import UserError

NAMES = "; ".join(f"{name}: {question}" for name, question in BENCHMARKS.items())


def main(
    names: Annotated[Positional[tuple[str, ...]], tyro.conf.arg(help=NAMES)] = (),
    rounds: int = 0,
    output: Path | None = None,
):
    """Measures speed on this machine, with all benchmarks or with those that are named.

    Args:
      rounds: how often each side is timed. 0: the benchmark's own number.
      output: a folder to write NAME.json, NAME.md and a summary, benchmarks.md, into.
    """
    fa_jax.set_up_process()
    try:
        run(names, rounds, output)
    except UserError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    tyro.cli(main, prog="python -m experiments.benchmarks")
