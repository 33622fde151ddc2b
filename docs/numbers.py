"""Numbers of the pages and of the README, read from the files that they were stored in.

A page says `{{ number("benchmarks/peers.json", "rows/what=sentences decoded/ratio", ".1f") }}`: the
file under `experiments/results`, the place in it, the format. So a page cannot say anything else
than the file. `listed` says what a text shows, and from where.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2

from docs import tables

REPOSITORY = Path(__file__).parents[1]
RESULTS = REPOSITORY / "experiments" / "results"
PAGES = Path(__file__).parent / "pages"


@dataclass(frozen=True)
class Shown:
    """A number as a text shows it. file: under `experiments/results`. place: in the file."""

    text: str
    file: str
    place: str


def rendered(text: str) -> str:
    """A page with its numbers and tables filled in.

    Raises:
      jinja2.TemplateError: it names something that does not exist.
      LookupError: a file does not hold the number.
    """
    return _filled(text, lambda shown: None)


def listed(text: str) -> list[Shown]:
    """The numbers that a page takes from files, in its order."""
    found: list[Shown] = []
    _filled(text, found.append)
    return found


def stored(file: str, place: str) -> Any:
    """What a JSON file holds at a place: keys with `/` between, `~` for a key's own;
    `name=value` finds a list's row.

    Raises:
      LookupError: nothing is there; the message names file and place.
    """
    value = _content(file)
    for step in place.split("/"):
        step = step.replace("~", "/")  # a key that has one
        try:
            value = _row(value, step) if isinstance(value, list) else value[step]
        except (LookupError, TypeError):
            raise LookupError(f"{file} has nothing at {step!r} of {place!r}") from None
    return value


def scored(file: str, place: str) -> float:
    """Share of the positions that were scored, of those that could have been."""
    scores = stored(file, place)
    return scores["window"] / scores["source_length"]


def _filled(text: str, record: Callable[[Shown], Any]) -> str:
    """The text, with what is shown of each number told to `record`."""

    def written(value: Any, form: str, file: str, place: str) -> str:
        value = math.inf if value == "inf" else value
        shown = (format(value, form) if form else str(value)).replace("-", "−")
        record(Shown(shown, file, place))
        return shown

    def number(file: str, place: str, form: str = "") -> str:
        return written(stored(file, place), form, file, place)

    def minutes(file: str, place: str) -> str:
        return written(stored(file, place) / 60, ".0f", file, f"{place} ÷ 60")

    def share(file: str, place: str) -> str:
        return written(scored(file, place), ".0%", file, f"{place}: window ÷ source_length")

    def saved(file: str, place: str) -> str:
        where = f"{place}: 1 − window ÷ source_length"
        return written(1 - scored(file, place), ".0%", file, where)

    def more(file: str, place: str, than: str) -> str:
        difference = stored(file, place) - stored(file, than)
        return written(difference, "+.2f", file, f"{place} − {than}")

    def quoted(file: str, words: str) -> str:
        if words not in (RESULTS / file).read_text(encoding="utf-8"):
            raise LookupError(f"{file} does not say {words!r}")
        record(Shown(words, file, "as it says"))
        return words.replace("-", "−")

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    environment.globals |= {
        "number": number, "minutes": minutes, "share": share, "saved": saved, "more": more,
        "quoted": quoted, "tables": tables, "all_numbers": all_numbers,
        "version": version("fa-jax"),
    }  # fmt: skip
    return environment.from_string(text).render()


def all_numbers() -> str:
    """A Markdown table of every number that a page takes from a file."""
    lines = []
    for path in sorted(PAGES.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if "all_numbers" in text:
            continue
        name = path.relative_to(PAGES).as_posix()
        lines += _rows(f"[{name.removesuffix('.md')}](../{name})", listed(text))
    lines += _rows("README", listed(README_NUMBERS.read_text(encoding="utf-8")))
    return "\n".join(["| number | on | file | place |", "|---|---|---|---|", *lines])


README_NUMBERS = Path(__file__).parent / "readme_numbers.txt"
"""Lines of the README that hold measured numbers, with where each comes from."""


def _rows(page: str, numbers: list[Shown]) -> list[str]:
    return [f"| {one.text} | {page} | `{one.file}` | `{one.place}` |" for one in numbers]


@cache
def _content(file: str) -> Any:
    return json.loads((RESULTS / file).read_text(encoding="utf-8"))


def _row(rows: list[dict[str, Any]], step: str) -> Any:
    """The row whose every `name=value`, with `;` between, is so. A name may hold no `=`."""
    wanted = dict(re.findall(r"([^=;]+)=([^;]*)(?:;|$)", step))
    if not wanted:
        return rows[int(step)]
    (found,) = [row for row in rows if all(str(row.get(k)) == v for k, v in wanted.items())]
    return found
