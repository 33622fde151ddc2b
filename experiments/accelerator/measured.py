"""One part of the check, in this process: a line of JSON for each row, as soon as it is there."""

import json
import math
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import tyro

from experiments.accelerator.conditions import Conditions
from fa_jax.cache import set_up_process
from fa_jax.compiler import PRODUCTS_BY_CUBLAS, ask_in_all_programs
from fa_jax.errors import UserError

LONGEST = 300


def measure(part: str, platform: str, seconds: float, output: Path, smallest: bool = False):
    """Measures every case of a part.

    Args:
      part: a module beside this one.
      platform: cpu, gpu or tpu. seconds: that it has.
      output: the file that gets a line for each row.
    """
    if platform == "gpu":
        # As fa_jax asks in its own programs: a part's time is not for compilation.
        ask_in_all_programs(PRODUCTS_BY_CUBLAS)
    set_up_process()
    module = import_module(f"experiments.accelerator.{part}")
    conditions = Conditions(platform, smallest, seconds)
    with output.open("w", encoding="utf-8") as file:
        for row in rows_of(module.cases(conditions)):
            print(json.dumps(row), file=file, flush=True)


def rows_of(cases: dict[str, Callable[[], dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """A row for each case, with what it measured or with why it failed."""
    for name, case in cases.items():
        try:
            found = {column: _in_json(value) for column, value in case().items()}
        except Exception as error:  # whatever it is, it is the row's result
            found = {"fails": one_line(error)}
        yield {"case": name, **found}


def one_line(error: Exception) -> str:
    """What an error says, without the folders of this machine."""
    kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
    lines = str(error).strip().splitlines() or ["it says nothing"]
    return without_folders(kind + lines[0])


def without_folders(text: str) -> str:
    """Files by their names alone, in a text that is not too long."""
    return re.sub(r"(?<![\w.])/(?:[^\s/'\":]+/)+", "", text)[:LONGEST]


def _in_json(value: Any) -> Any:
    """JSON has no NaN and no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


if __name__ == "__main__":
    tyro.cli(measure)
