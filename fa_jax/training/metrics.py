"""What a run writes down while it learns: `metrics.jsonl` and TensorBoard events."""

import json
from pathlib import Path

from tensorboardX import SummaryWriter

from fa_jax.whole_files import write_text


class Metrics:
    """Rows of numbers by step. A resumed run drops the rows that came after its checkpoint.

    Args:
      run: the run's folder.
      step: of the checkpoint that training goes on from; 0 for a new run.

    Raises:
      OSError: the folder cannot be written.
    """

    def __init__(self, run: Path, step: int):
        self._path = run / "metrics.jsonl"
        _keep_until(self._path, step)
        self._file = self._path.open("a", encoding="utf-8")
        self._events = SummaryWriter(str(run / "events"), purge_step=step + 1)

    def write(self, row: dict[str, float | int]):
        """Appends a row: "step" and, by name, what was measured there."""
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        for name, value in row.items():
            if name != "step":
                self._events.add_scalar(name, value, row["step"])

    def close(self):
        """Closes both; every row is on disk already."""
        self._file.close()
        self._events.close()


def read_metrics(run: Path) -> list[dict[str, float | int]]:
    """All whole rows of a run's folder, oldest first; none where it has no `metrics.jsonl`.

    A row has "step" and either "validation_bleu" (0 to 100) or what the steps since the row before
    add up to: "epoch", "loss" (nats a sentence), "loss_per_token" (nats), "strength" (mean g(t)),
    "tokens_per_second" (target tokens) and "learning_rate". A last line cut off by a kill is left
    out.
    """
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
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
