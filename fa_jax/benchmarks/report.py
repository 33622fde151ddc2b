"""What a benchmark found, as JSON and as a table that people read."""

import json
import platform
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax


@dataclass(frozen=True)
class Report:
    """name: of the benchmark. question: what it answers. rows: of one table, same columns."""

    name: str
    question: str
    settings: dict[str, Any]
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)

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
        }
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        (folder / f"{self.name}.json").write_text(text, encoding="utf-8")
        (folder / f"{self.name}.md").write_text(self.table(), encoding="utf-8")


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
