"""What was measured, read from the files under `experiments/results`."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "experiments" / "results"


def stored(file: str, place: str) -> Any:
    """What a JSON file holds at a place.

    Args:
      file: under `experiments/results`.
      place: keys with `/` between, where `~` stands for a `/` in a key. `what=sentences` finds a
        list's row; `;` joins several such conditions.

    Raises:
      LookupError: nothing is there, or several rows are; the message names file and place.
    """
    value = _content(file)
    for step in place.split("/"):
        step = step.replace("~", "/")
        try:
            value = _row(value, step) if isinstance(value, list) else value[step]
        except (LookupError, TypeError, ValueError):
            raise LookupError(f"{file} has nothing at {step!r} of {place!r}") from None
    return value


def scored(file: str, place: str) -> float:
    """Share of the positions that were scored, of those that could have been."""
    scores = stored(file, place)
    return scores["window"] / scores["source_length"]


def quoted(file: str, words: str) -> str:
    """Words of a page that a program wrote.

    Raises:
      LookupError: it does not say them.
    """
    if words not in (RESULTS / file).read_text(encoding="utf-8"):
        raise LookupError(f"{file} does not say {words!r}")
    return words


@cache
def _content(file: str) -> Any:
    return json.loads((RESULTS / file).read_text(encoding="utf-8"))


def _row(rows: list[dict[str, Any]], step: str) -> dict[str, Any]:
    """The one row of which every condition holds."""
    wanted = dict(re.findall(r"([^=;]+)=([^;]*)(?:;|$)", step))
    (found,) = [row for row in rows if all(str(row.get(k)) == v for k, v in wanted.items())]
    return found
