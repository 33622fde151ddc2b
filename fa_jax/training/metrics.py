"""What a run measures while it learns: added up, written down, shown."""

import json
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np
from jaxtyping import Int
from tensorboardX import SummaryWriter
from tqdm import tqdm

from fa_jax.config import TrainingConfig
from fa_jax.data.batches import Batch
from fa_jax.errors import UserError
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.loss import BatchSums
from fa_jax.training.schedule import StepSettings
from fa_jax.training.step import unreplicate
from fa_jax.whole_files import write_text

STEPS_BETWEEN_ROWS = 20
STEPS_OF_PACE = 200
"""The newest, which say how long the rest will take."""
SECONDS_BETWEEN_LINES = 15.0
"""On stderr, where it is no terminal; there a bar shows that the run is getting on."""


class Metrics:
    """Adds up the steps' numbers; a row of `metrics.jsonl` and TensorBoard events every so often.

    One step behind the device. Every process looks at the numbers; the first one writes and shows
    them. A resumed run drops the rows that came after its checkpoint.

    Args:
      run: the run's folder.
      epoch: in steps. last: step of its longest course.
      step: of the checkpoint that training goes on from; 0 for a new run.
      latest: the run's checkpoints; an error names the newest.

    Raises:
      OSError: the folder cannot be written.
    """

    def __init__(self, run: Path, epoch: int, step: int, last: int, latest: Checkpoints):
        self._epoch, self._latest, self._last = epoch, latest, last
        self._writes = jax.process_index() == 0
        if self._writes:
            path = run / "metrics.jsonl"
            kept = [row for row in read_metrics(run) if row["step"] <= step]
            write_text(path, "".join(json.dumps(row) + "\n" for row in kept))
            self._file = path.open("a", encoding="utf-8")
            self._events = SummaryWriter(str(run / "events"), purge_step=step + 1)
            self._bar = tqdm(  # disable=None: no bar where stderr is no terminal
                total=self._last, initial=step, unit="step", dynamic_ncols=True, disable=None
            )
        self._pending: tuple[int, BatchSums, np.ndarray, StepSettings] | None = None
        self._shapes: set[tuple] = set()
        self._sums: list[BatchSums] = []
        self._began = self._added = self._last_line = time.monotonic()
        self._took: deque[float] = deque(maxlen=STEPS_OF_PACE)
        self._newest = ""

    def begins(self, batch: Batch, shapes: int):
        """Says so where a step is the first one of its batch's shape: its program has to be
        compiled, which may take many seconds. shapes: that there are."""
        if (shape := (batch.source.shape, batch.target.shape)) in self._shapes:
            return
        self._shapes.add(shape)
        number = len(self._shapes)
        if self._writes:
            tqdm.write(
                f"compiling for batches of {shape[0][0]} sentences, padded to {shape[0][1]} and "
                f"{shape[1][1]} tokens (shape {number} of {max(number, shapes)})",
                file=sys.stderr,
            )

    def add(self, step: int, sums: BatchSums, rows: Int[np.ndarray, " B"], settings: StepSettings):
        """Reads the step before; the device may still compute this one.

        sums: a copy on each device. rows: of the corpus. settings: of the step.

        Raises:
          UserError: the loss of the step before is not finite.
        """
        self.catch_up()
        self._pending = step, sums, rows, settings
        now = time.monotonic()
        self._took.append(now - self._added)
        self._added = now

    def catch_up(self):
        """Reads the newest step, too. Raises UserError as `add` does."""
        self._caught_up = time.monotonic()
        if self._pending is None:
            return
        (step, sums, rows, settings), self._pending = self._pending, None
        sums = unreplicate(sums)
        if not np.isfinite(sums.negative_log_prob + sums.gradient_norm):
            named = ", ".join(map(str, sorted(rows.tolist())))
            raise UserError(
                f"step {step} has loss {sums.negative_log_prob} and gradient norm "
                f"{sums.gradient_norm}: training stopped before it was saved. Last good "
                f"checkpoint: {self._latest.place() or 'none was saved yet'}. Lower "
                "training.learning_rate, or look at the batch's sentences: "
                f"rows {named} of the training set"
            )
        self._sums.append(sums)
        if step % STEPS_BETWEEN_ROWS:
            if self._writes:
                self._show(step)
            return
        total = jax.tree.map(lambda *leaves: float(np.sum(leaves)), *self._sums)
        now = time.monotonic()
        row = {
            "step": step,
            "epoch": step / self._epoch,
            "loss": total.negative_log_prob / total.sentences,
            "loss_per_token": total.negative_log_prob / total.words,
            "strength": total.strength / total.words,
            "window": total.scored / total.positions,
            "tokens_per_second": total.words / (now - self._began),
            "learning_rate": settings.rate,
        }
        self._sums, self._began = [], now
        if self._writes:
            self._write(row)
            self._show(
                step,
                f"loss {row['loss_per_token']:.3f} nats a token  g {row['strength']:.3f}  "
                f"window {row['window']:.0%}  {row['tokens_per_second']:,.0f} tokens/s",
            )

    def validated(self, step: int, training: TrainingConfig, score: float, threshold: float):
        """The score of a validation by `training.best_by`, and the τ that it had.

        What passed since `catch_up` was no training time.
        """
        self._began += time.monotonic() - self._caught_up
        self._added = time.monotonic()
        if self._writes:
            self._write({"step": step, f"validation_{training.best_by}": score})
            windows = f" in windows of τ = {threshold:g}" if np.isfinite(threshold) else ""
            tqdm.write(
                f"step {step} (epoch {step / self._epoch:.2f}): validation score {score:.2f}"
                f"{windows} ({training.best_by_words}, translated greedily; not to be compared "
                "with test scores)",
                file=sys.stderr,
            )

    def close(self):
        """Closes files and bar; every row is on disk already."""
        if self._writes:
            for resource in (self._file, self._events, self._bar):
                resource.close()

    def _write(self, row: dict[str, float | int]):
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        for name, value in row.items():
            if name != "step":
                self._events.add_scalar(name, value, row["step"])

    def _show(self, step: int, numbers: str = ""):
        """A line is due now and then, with the newest numbers. There is one before there are any,
        too: a step that has to be compiled takes many seconds."""
        self._newest = numbers or self._newest
        self._bar.set_postfix_str(self._newest, refresh=False)
        self._bar.update(step - self._bar.n)
        now = time.monotonic()
        due = now - self._last_line > SECONDS_BETWEEN_LINES or (numbers and step == self._last)
        if self._bar.disable and due:
            self._last_line = now
            line = f"step {step}/{self._last}"
            if self._newest:
                minutes, seconds = divmod(round(pace(self._took) * (self._last - step)), 60)
                line += f"  {self._newest}  {minutes}:{seconds:02d} left"
            tqdm.write(line, file=sys.stderr)


def pace(took: Sequence[float]) -> float:
    """Seconds that a step takes, of the newest ones. Those that had to be compiled, at most three
    quarters of them, hardly count."""
    quick = np.quantile(took, 0.25)
    return float(np.minimum(took, 4 * quick).mean())


def read_metrics(run: Path) -> list[dict[str, float | int]]:
    """All whole rows of a run's folder, oldest first; none where it has no `metrics.jsonl`.

    A row has "step" and either the score that chooses the best checkpoint, "validation_bleu" or
    that of another metric (minus it, if lower is better), or what the steps since the row before
    add up to: "epoch", "loss" (nats a sentence), "loss_per_token" (nats), "strength" (mean g(t)),
    "window" (share of the source's positions that was scored), "tokens_per_second" (target tokens)
    and "learning_rate". A last line cut off by a kill is left out.

    Raises:
      UserError: the file is damaged.
    """
    path = run / "metrics.jsonl"
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = [line for line in text.splitlines(keepends=True) if line.endswith("\n")]
        rows = [json.loads(line) for line in lines]
        if not all("step" in row for row in rows):
            raise ValueError("a row has no step")
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{path} cannot be read: {error}. Delete it: no more than curves are drawn from it"
        ) from error
    return rows
