"""Does every system compile for a TPU, at all sizes that are for accelerators? No TPU is needed.

Training at each size; forced decoding and search at the size of the paper's characters, too.
results/records/accelerator_systems.json keeps what was compiled: it is not compiled again.
"""

import json
import subprocess
import sys
from typing import Any

import tyro

from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.folders import RECORDS, write
from fa_jax.benchmarks.accelerator_programs import CHIP, CHIP_GB, PRESETS, PROGRAMS, compiled
from fa_jax.benchmarks.report import Headline, Report
from fa_jax.presets import SYSTEMS

COMPILED = RECORDS / "accelerator_systems.json"
SEARCHED = "char"
"""The size at which every program is compiled."""


def compile_all(only: str = ""):
    """Compiles what was not compiled yet, and publishes the table.

    Args:
      only: one preset; it is compiled in this process and kept, and nothing is published.
    """
    if only:
        programs = PROGRAMS if _size(only) == SEARCHED else ("training",)
        _keep(only, [*compiled(only, programs)])
        return
    for name in _presets():
        if name not in _kept():
            print(name, file=sys.stderr, flush=True)
            # One process cannot hold the programs of all.
            command = [sys.executable, "-m", "experiments.accelerator_systems", "--only", name]
            subprocess.run(command, check=True)
    measure_and_publish(_report)


def _report() -> Report:
    kept = _kept()
    rows = [row for name in _presets() for row in kept.get(name, [])]
    of_training = [row for row in rows if row["program"] == "training"]
    largest = max(of_training, key=lambda row: row["gb"] or 0.0)
    return Report(
        "accelerator_systems",
        {"chip": CHIP},
        rows,
        [
            "gb: arguments, results and the largest intermediate state, in decimal gigabytes. "
            "exports: platforms that `jax.export` lowers the program for. No TPU or GPU has run "
            "any of these programs."
        ],
        [
            Headline("programs that do not compile", sum(bool(row["fails"]) for row in rows), 0),
            Headline(f"training, {largest['preset']}: GB of a v5e's", largest["gb"], CHIP_GB),
        ],
        question="does every system compile for a TPU, at all sizes that are for accelerators?",
        command="python -m experiments.accelerator_systems",
    )


def _presets() -> list[str]:
    return [
        size if system == "flexible" else f"{size}-{system}"
        for size in PRESETS
        for system in SYSTEMS
    ]


def _size(name: str) -> str:
    return name.split("-")[0]


def _kept() -> dict[str, list[dict[str, Any]]]:
    return json.loads(COMPILED.read_text(encoding="utf-8")) if COMPILED.exists() else {}


def _keep(name: str, rows: list[dict[str, Any]]):
    write(COMPILED, json.dumps(_kept() | {name: rows}, indent=2) + "\n")


if __name__ == "__main__":
    tyro.cli(compile_all)
