"""Does every system compile for accelerators, at all sizes that are for them? None is needed.

Training at each size; forced decoding and search at the size of the paper's characters, too.
results/records/accelerator_systems.json keeps what was compiled: it is not compiled again.
"""

import json
import subprocess
import sys
from typing import Any

import tyro

from experiments.benchmarks.accelerator_programs import NOTE, PRESETS, compilable, compiled
from experiments.benchmarks.chips import CHIPS
from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.folders import RECORDS, write
from fa_jax.presets import SYSTEMS

COMPILED = RECORDS / "accelerator_systems.json"
SEARCHED = "char"
"""The size at which every program is compiled."""


def compile_all(only: tuple[str, str] | None = None):
    """Compiles what was not compiled yet, for the chips whose compilers are here, and publishes.

    Args:
      only: a chip and a preset; it is compiled in this process and kept, and nothing is published.
    """
    if only:
        chip, name = only
        programs = () if name.split("-")[0] == SEARCHED else ("training",)
        _keep(f"{chip} {name}", [*compiled(CHIPS[chip], name, programs)])
        return
    for chip in compilable():
        for name in _presets():
            if f"{chip.name} {name}" not in _kept():
                print(chip.name, name, file=sys.stderr, flush=True)
                # One process cannot hold the programs of all.
                command = [sys.executable, "-m", "experiments.accelerator_systems", "--only"]
                subprocess.run([*command, chip.name, name], check=True)
    measure_and_publish(_report)


def _report() -> Report:
    kept = _kept()
    each = [f"{chip} {name}" for name in _presets() for chip in CHIPS]
    rows = [row for one in each for row in kept.get(one, [])]
    return Report(
        "accelerator_systems",
        {"chips": ", ".join(CHIPS)},
        rows,
        [NOTE],
        [
            Headline("programs that do not compile", sum(bool(row["fails"]) for row in rows), 0),
            *(_largest(chip, rows) for chip in CHIPS),
        ],
        question="does every system compile for accelerators, at all sizes that are for them?",
        command="python -m experiments.accelerator_systems",
    )


def _largest(chip: str, rows: list[dict[str, Any]]) -> Headline:
    training = [row for row in rows if (row["chip"], row["program"]) == (chip, "training")]
    row = max(training, key=lambda row: row["gb"] or 0.0)
    what = f"training, the largest system ({row['preset']}), {chip}: GB of its memory"
    return Headline(what, row["gb"], CHIPS[chip].gigabytes)


def _presets() -> list[str]:
    return [
        size if system == "flexible" else f"{size}-{system}"
        for size in PRESETS
        for system in SYSTEMS
    ]


def _kept() -> dict[str, list[dict[str, Any]]]:
    return json.loads(COMPILED.read_text(encoding="utf-8")) if COMPILED.exists() else {}


def _keep(name: str, rows: list[dict[str, Any]]):
    write(COMPILED, json.dumps(_kept() | {name: rows}, indent=2) + "\n")


if __name__ == "__main__":
    tyro.cli(compile_all)
