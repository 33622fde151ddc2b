"""What a run writes down while it learns: `metrics.jsonl` and TensorBoard events."""

import json
import os
from pathlib import Path

from tensorboardX import SummaryWriter


class Metrics:
    """Rows of numbers by step. A resumed run drops the rows that came after its checkpoint."""

    def __init__(self, run: Path, step: int):
        self._path = run / "metrics.jsonl"
        _keep_until(self._path, step)
        self._file = self._path.open("a", encoding="utf-8")
        self._events = SummaryWriter(str(run / "events"), purge_step=step + 1)

    def write(self, row: dict[str, float | int]):
        """row: "step" and what was measured there."""
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        for name, value in row.items():
            if name != "step":
                self._events.add_scalar(name, value, row["step"])

    def close(self):
        self._file.close()
        self._events.close()


def read_metrics(run: Path) -> list[dict[str, float | int]]:
    """All whole rows; a last line cut off by a kill is left out."""
    path = run / "metrics.jsonl"
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows


def _keep_until(path: Path, step: int):
    rows = [row for row in read_metrics(path.parent) if row["step"] <= step]
    beside = path.with_suffix(".new")
    beside.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.replace(beside, path)
