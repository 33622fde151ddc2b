"""Puts stored numbers into the pages, and lists them.

A page says `{{ number("benchmarks/peers.json", "rows/what=sentences decoded/ratio", ".1f") }}`: the
file, the place in it, the format. So it cannot say anything else than the file.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2

from docs import stored, tables

PAGES = Path(__file__).parent / "pages"
README_NUMBERS = Path(__file__).parent / "readme_numbers.txt"
"""Lines of the README that hold measured numbers, with where each comes from."""


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


def all_numbers() -> str:
    """A Markdown table of every number that a page or the README takes from a file."""
    lines = []
    for path in sorted(PAGES.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if "all_numbers" not in text:
            name = path.relative_to(PAGES).as_posix()
            lines += _rows(f"[{name.removesuffix('.md')}](../{name})", listed(text))
    lines += _rows("README", listed(README_NUMBERS.read_text(encoding="utf-8")))
    return "\n".join(["| number | on | file | place |", "|---|---|---|---|", *lines])


def _rows(page: str, numbers: list[Shown]) -> list[str]:
    return [f"| {one.text} | {page} | `{one.file}` | `{one.place}` |" for one in numbers]


def _filled(text: str, record: Callable[[Shown], Any]) -> str:
    """The text, with what is shown of each number told to `record`."""

    def written(value: Any, form: str, file: str, place: str) -> str:
        value = math.inf if value == "inf" else value
        shown = (format(value, form) if form else str(value)).replace("-", "−")
        record(Shown(shown, file, place))
        return shown

    def number(file: str, place: str, form: str = "") -> str:
        return written(stored.stored(file, place), form, file, place)

    def minutes(file: str, place: str) -> str:
        return written(stored.stored(file, place) / 60, ".0f", file, f"{place} ÷ 60")

    def share(file: str, place: str) -> str:
        where = f"{place}: window ÷ source_length"
        return written(stored.scored(file, place), ".0%", file, where)

    def saved(file: str, place: str) -> str:
        where = f"{place}: 1 − window ÷ source_length"
        return written(1 - stored.scored(file, place), ".0%", file, where)

    def more(file: str, place: str, than: str) -> str:
        difference = stored.stored(file, place) - stored.stored(file, than)
        return written(difference, "+.2f", file, f"{place} − {than}")

    def quoted(file: str, words: str) -> str:
        return written(stored.quoted(file, words), "", file, "as it says")

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    environment.globals |= {
        "number": number,
        "minutes": minutes,
        "share": share,
        "saved": saved,
        "more": more,
        "quoted": quoted,
        "tables": tables,
        "all_numbers": all_numbers,
        "version": version("fa-jax"),
    }
    return environment.from_string(text).render()
