"""What a benchmark found, as JSON and as a table that people read."""

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import jax


@dataclass(frozen=True)
class Headline:
    """A number that should not be above its target, or not below. bound: what arithmetic allows."""

    what: str
    value: float
    target: float
    at_least: bool = False
    bound: float | None = None

    def row(self) -> list[str]:
        """What, measured, target, whether it is met, bound."""
        met = self.value >= self.target if self.at_least else self.value <= self.target
        sign, bound = (
            "≥" if self.at_least else "≤",
            "" if self.bound is None else f"{self.bound:.2f}",
        )
        return [
            self.what,
            f"{self.value:.3g}",
            f"{sign} {self.target:g}",
            "yes" if met else "no",
            bound,
        ]


@dataclass(frozen=True)
class Report:
    """name: of the benchmark. question: what it answers. rows: of one table, same columns."""

    name: str
    question: str
    settings: dict[str, Any]
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    headlines: list[Headline] = field(default_factory=list)

    def table(self) -> str:
        """Markdown."""
        columns = list(self.rows[0])
        lines = [
            f"# {self.name.replace('_', ' ').capitalize()}: {self.question}",
            "",
            f"{machine()}; jax {jax.__version__}; "
            + ", ".join(
                f"{name.replace('_', ' ')} {value}" for name, value in self.settings.items()
            )
            + f". `fa-jax benchmark {self.name}`",
            "",
            "| " + " | ".join(column.replace("_", " ") for column in columns) + " |",
            "|---" * len(columns) + "|",
            *("| " + " | ".join(_shown(row[c]) for c in columns) + " |" for row in self.rows),
        ]
        return "\n".join([*lines, *(f"\n{note}" for note in self.notes)]) + "\n"

    def write(self, folder: Path):
        """`NAME.json` and `NAME.md`."""
        folder.mkdir(parents=True, exist_ok=True)
        content = {
            "benchmark": self.name,
            "machine": machine(),
            "jax": jax.__version__,
            "settings": self.settings,
            "rows": self.rows,
            "notes": self.notes,
            "headlines": [asdict(headline) for headline in self.headlines],
        }
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        (folder / f"{self.name}.json").write_text(text, encoding="utf-8")
        (folder / f"{self.name}.md").write_text(self.table(), encoding="utf-8")


def write_summary(folder: Path, names: Iterable[str]) -> str:
    """`benchmarks.md`: one table of the headlines of all reports that are there; returns it."""
    lines = [
        "# Benchmarks in one table",
        "",
        "| benchmark | what | measured | target | met | bound |",
        "|---|---|---|---|---|---|",
    ]
    machines = {}
    for name in names:
        path = folder / f"{name}.json"
        if not path.exists():
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        for headline in content.get("headlines", []):
            cells = [f"[{name}]({name}.md)", *Headline(**headline).row()]
            lines.append("| " + " | ".join(cells) + " |")
            machines[content["machine"]] = None
    table = "\n".join([*lines, "", f"{'; '.join(machines)}. `fa-jax benchmark`"]) + "\n"
    (folder / "benchmarks.md").write_text(table, encoding="utf-8")
    return table


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
