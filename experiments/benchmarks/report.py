"""Runs benchmarks; what they found, as JSON and as tables that people read."""

import json
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import jax

from experiments.benchmarks import BENCHMARKS
from fa_jax.errors import UserError
from fa_jax.whole_files import write_text


@dataclass(frozen=True)
class Headline:
    """A number that should not be above its target, or not below. bound: an estimate of how low it
    can be, by Amdahl's law."""

    what: str
    value: float
    target: float
    at_least: bool = False
    bound: float | None = None

    def row(self) -> list[str]:
        """What, measured, target, whether it is met, the estimate."""
        met = self.value >= self.target if self.at_least else self.value <= self.target
        return [
            self.what,
            f"{self.value:.3g}",
            f"{'≥' if self.at_least else '≤'} {self.target:g}",
            "yes" if met else "no",
            "" if self.bound is None else f"{self.bound:.2f}",
        ]


@dataclass(frozen=True)
class Report:
    """What a benchmark found.

    name: of the benchmark. rows: of one table, same columns; times are ratios unless a column says
    otherwise. question, command: what it answers and how it is run; default: as in `BENCHMARKS`.
    """

    name: str
    settings: dict[str, Any]
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    headlines: list[Headline] = field(default_factory=list)
    question: str = ""
    command: str = ""

    def table(self) -> str:
        """Markdown."""
        columns = list(self.rows[0])
        question = self.question or BENCHMARKS[self.name]
        settings = [f"{name.replace('_', ' ')} {value}" for name, value in self.settings.items()]
        lines = [
            f"# {self.name.replace('_', ' ').capitalize()}: {question}",
            "",
            f"{machine()}; jax {jax.__version__}; {', '.join(settings)}. "
            f"`{self.command or f'python -m experiments.benchmarks {self.name}'}`",
            "",
            "| " + " | ".join(column.replace("_", " ") for column in columns) + " |",
            "|---" * len(columns) + "|",
            *("| " + " | ".join(_shown(row[c]) for c in columns) + " |" for row in self.rows),
        ]
        return "\n".join([*lines, *(f"\n{note}" for note in self.notes)]) + "\n"

    def content(self) -> dict[str, Any]:
        """What `NAME.json` holds."""
        about = {"benchmark": self.name, "machine": machine(), "jax": jax.__version__}
        found = ("settings", "rows", "notes", "headlines")
        return about | {key: value for key, value in asdict(self).items() if key in found}

    def write(self, folder: Path):
        """`NAME.json` and `NAME.md`, into a folder that is there."""
        text = json.dumps(self.content(), indent=2, ensure_ascii=False) + "\n"
        write_text(folder / f"{self.name}.json", text)
        write_text(folder / f"{self.name}.md", self.table())


def run(names: Sequence[str] = (), rounds: int = 0, output: Path | None = None):
    """Measures and publishes.

    Args:
      names: of `BENCHMARKS`; none: all of them that this environment has everything for.
      rounds: times that each side is timed; 0: each benchmark's own number.
      output: as in `publish`.

    Raises:
      UserError: an unknown name, negative rounds, a folder that cannot be written, or something
        that a named benchmark needs is not there.
    """
    if unknown := {*names} - {*BENCHMARKS}:
        raise UserError(f"unknown benchmark {min(unknown)!r}: choose {', '.join(BENCHMARKS)}")
    if rounds < 0:
        raise UserError(f"rounds must be at least 0, got {rounds}")
    publish(_measured(names, {"rounds": rounds} if rounds else {}), output)


def _measured(names: Sequence[str], options: dict[str, int]) -> Iterator[Report]:
    for name in names or BENCHMARKS:
        try:
            yield import_module(f"experiments.benchmarks.{name}").measure(**options)
        except UserError as error:
            if names:
                raise
            print(f"{name} is left out: {error}", file=sys.stderr, flush=True)


def publish(reports: Iterable[Report], output: Path | None):
    """Prints each report's table as soon as it is there, then all headlines in one.

    Args:
      reports: measured as they are asked for.
      output: a folder for NAME.json, NAME.md and benchmarks.md, the headlines of all reports that
        the folder holds; None: nothing is written.

    Raises:
      UserError: the folder cannot be written.
    """
    try:
        if output:
            output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"reports cannot be written to {output}: {error}") from error
    contents = {}
    for report in reports:
        print(report.table(), flush=True)
        contents[report.name] = report.content()
        if output:
            report.write(output)
    if output:
        files = sorted(output.glob("*.json"))
        contents = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
        write_text(output / "benchmarks.md", headline_table(contents))
    print(headline_table(contents))


def headline_table(contents: Mapping[str, Mapping[str, Any]]) -> str:
    """One table of the headlines of all reports, in Markdown.

    Args:
      contents: `Report.content` by name.
    """
    lines = [
        "# Benchmarks in one table",
        "",
        "| benchmark | what | measured | target | met | estimate |",
        "|---|---|---|---|---|---|",
    ]
    machines = {}
    for name, content in contents.items():
        for headline in content.get("headlines", []):
            cells = [f"[{name}]({name}.md)", *Headline(**headline).row()]
            lines.append("| " + " | ".join(cells) + " |")
            machines[content["machine"]] = None
    notes = (
        f"{'; '.join(machines)}. `python -m experiments.benchmarks`. Estimate: what the number "
        "should be by Amdahl's law, from times measured apart; the measured one may lie below it."
    )
    return "\n".join([*lines, "", notes]) + "\n"


def machine() -> str:
    """The processor or accelerator that runs this."""
    if jax.default_backend() != "cpu":
        return jax.devices()[0].device_kind
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.processor()


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
