"""Forced decoding with the paper's character model, case by case."""

from collections.abc import Callable
from functools import partial
from typing import Any

from experiments.accelerator.conditions import Conditions
from experiments.forced_decoding import CASES, measure


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """A row for each score and batch size."""
    chosen = [("concat", 1)] if conditions.smallest else [*CASES]
    rounds = 1 if conditions.smallest else 5
    return {f"{score}, {batch}": partial(_row, (score, batch), rounds) for score, batch in chosen}


def _row(case: tuple[str, int], rounds: int) -> dict[str, Any]:
    (row,) = measure(rounds, {case: CASES[case]}).rows
    return {name: value for name, value in row.items() if name not in ("score", "batch")}
