"""What was found on a device, as JSON and as a page that people read."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.accelerator.outcome import DONE, Outcome
from experiments.accelerator.parts import PARTS, Part
from fa_jax.whole_files import write_text

COMMAND = "make accelerator-check"


@dataclass(frozen=True)
class Found:
    """device: as `device.cases` describes it. date: the day, as 2026-01-31. commit: of the code, or
    nothing. minutes: that it had. outcomes: by part."""

    device: Mapping[str, Any]
    date: str
    commit: str
    minutes: float
    smallest: bool
    outcomes: Mapping[str, Outcome]

    @property
    def name(self) -> str:
        """Of its files: the device in lower case, with dashes."""
        return re.sub(r"[^a-z0-9]+", "-", self.device["kind"].lower()).strip("-")

    def write(self, folder: Path):
        """`DEVICE.json` and `DEVICE.md`, into a folder that is there."""
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"
        write_text(folder / f"{self.name}.json", text)
        write_text(folder / f"{self.name}.md", page(self))


def page(found: Found) -> str:
    """Markdown."""
    parts = [line for name, outcome in found.outcomes.items() for line in _part(name, outcome)]
    wrong = [*_wrong(found.outcomes)] or ["Nothing."]
    return (
        "\n".join(
            [
                f"# fa_jax on {found.device['kind']}",
                "",
                _about(found),
                *(["", SMALLEST] if found.smallest else []),
                "",
                *_table(
                    ("part", "how it ended", "seconds"),
                    [
                        (PARTS[n].title, o.ended, f"{o.seconds:.0f}")
                        for n, o in found.outcomes.items()
                    ],
                ),
                "",
                "## What failed, and what was left out",
                "",
                *wrong,
                *parts,
                "",
                "## Send it",
                "",
                SEND.format(name=found.name),
            ]
        )
        + "\n"
    )


SMALLEST = (
    "**The smallest sizes.** They show that every part works. The times say nothing of the device."
)
SEND = (
    "Please send `{name}.md` and `{name}.json`, whatever they say: a part that fails is worth "
    "knowing, too. Open a pull request that adds both files to `experiments/results/accelerators`, "
    "or open an issue and attach them."
)


def _about(found: Found) -> str:
    device = found.device
    count = f"{device['count']} device" + "s" * (device["count"] != 1)
    memory = f" with {device['memory_gb']:.0f} GB each" if device["memory_gb"] else ""
    commit = f" (commit {found.commit})" if found.commit else ""
    return (
        f"{count}{memory}, platform {device['platform']}. fa_jax {device['fa_jax']}{commit}, jax "
        f"{device['jax']}, jaxlib {device['jaxlib']}, Python {device['python']}. {found.date}. "
        f"`{COMMAND}`, at most {found.minutes:g} minutes."
    )


def _wrong(outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    for name, outcome in outcomes.items():
        title = f"*{PARTS[name].title}*"
        if outcome.ended != DONE:
            yield f"- {title} {outcome.ended}."
        for row in outcome.rows:
            if "fails" in row:
                yield f"- {title} {row['case']}: {row['fails']}"
            for what in row.get("not_passed", []):
                yield f"- Test `{what.partition(': ')[0]}`: {what.partition(': ')[2]}"


def _part(name: str, outcome: Outcome) -> list[str]:
    part = PARTS[name]
    rows = [row for row in outcome.rows if "fails" not in row]
    shown = _rows(part, rows) if rows else ["Nothing was measured."]
    return ["", f"## {part.title}", "", part.about, "", *shown]


def _rows(part: Part, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table with every column that a row has; lists are told elsewhere."""
    columns = dict.fromkeys(
        column for row in rows for column, value in row.items() if not isinstance(value, list)
    )
    heads = [part.case if c == "case" else c.replace("_", " ") for c in columns]
    return _table(heads, [[_shown(row.get(c, "")) for c in columns] for row in rows])


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [heads, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    head, *rest = ("| " + " | ".join(line) + " |" for line in lines)
    return [head, "|---" * len(heads) + "|", *rest]


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
