"""What does `fa-jax train --dry-run` say of each size, and is it right about memory?

Each size in a process of its own, since memory is the process's. One whose steps take too long is
planned, and not timed.
"""

import json
import subprocess
import sys
from dataclasses import asdict
from typing import Any

import tyro

from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from fa_jax.cache import set_up_process
from fa_jax.presets import SIZES, preset
from fa_jax.runs.forecast import forecast

LANGUAGES = "en-ja"
PATIENCE = 1800
"""Seconds for a size."""


def forecast_all(only: str | None = None):
    """Asks for each size, and publishes.

    Args:
      only: a size; what is known of it is printed, a line of JSON as soon as there is one.
    """
    if only is None:
        measure_and_publish(measure)
        return
    set_up_process()
    for part in forecast(preset(only, LANGUAGES)):
        print(json.dumps({**asdict(part), "needed": getattr(part, "needed", None)}), flush=True)


def measure() -> Report:
    """A row for each size."""
    rows = [_row(name, *_found(name)) for name in SIZES]
    small = rows[0]["reached_gb"] / rows[0]["memory_gb"]
    return Report(
        "forecasts",
        {"languages": LANGUAGES, "steps_timed": 3},
        rows,
        [
            "Memory is what XLA plans for a step of the largest batch, and what the process had "
            "before it. A size without a time was planned alone: its steps were not done in the "
            "time that there was, or there was less memory. The seconds are those of a machine "
            "that has other work, too.",
        ],
        [
            Headline("memory reached by small ÷ memory said before", small, 1.15),
            Headline("the same, at least", small, 0.85, at_least=True),
        ],
        question="what does a dry run say of each size, and is it right about memory?",
        command="python -m experiments.forecasts",
    )


def _found(name: str) -> list[dict[str, Any]]:
    """The plan, and the pace where steps were done in time."""
    command = [sys.executable, "-m", "experiments.forecasts", "--only", name]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE).stdout
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode()
    return [json.loads(line) for line in said.splitlines()]


def _row(name: str, plan: dict[str, Any], pace: dict[str, Any] | None = None) -> dict[str, Any]:
    sentences, source, target = plan["batch"]
    return {
        "preset": name,
        "parameters": plan["parameters"],
        "largest_batch": f"{sentences} × {source} and {target}",
        "planned_gb": plan["planned"] / 1e9,
        "memory_gb": plan["needed"] / 1e9,
        "reached_gb": pace["reached"] / 1e9 if pace else "",
        "disk_gb": plan["disk"] / 1e9,
        "seconds_a_step": pace["step"] if pace else "",
        "hours": pace["training"] / 3600 if pace else "",
    }


if __name__ == "__main__":
    tyro.cli(forecast_all)
