"""What the steps of a run measure: added up, written down, shown."""

import time
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import optax
from jaxtyping import Int

from fa_jax.errors import UserError
from fa_jax.training.metrics import Metrics
from fa_jax.training.objective import BatchSums
from fa_jax.training.progress import Progress
from fa_jax.training.step import unreplicate

STEPS_BETWEEN_ROWS = 20


class Rows:
    """Adds up the steps' numbers and writes a row every so often, one step behind the device.

    Every process looks at the numbers; the first one writes and shows them.
    step, last_step: where training begins and ends. epoch: in steps. rate: of learning, by step
    from 0. saved: says where the newest checkpoint is.
    """

    def __init__(
        self,
        run: Path,
        step: int,
        last_step: int,
        epoch: int,
        rate: optax.Schedule,
        saved: Callable[[], str],
    ):
        self._epoch, self._rate, self._saved = epoch, rate, saved
        self._writes = jax.process_index() == 0
        if self._writes:
            self._metrics, self._progress = Metrics(run, step), Progress(last_step, step)
        self._pending: tuple[int, BatchSums, np.ndarray] | None = None
        self._sums: list[BatchSums] = []
        self._began = time.monotonic()

    def add(self, step: int, sums: BatchSums, ids: Int[np.ndarray, " B"]):
        """Reads the step before; the device may still compute this one.

        sums: a copy on each device. ids: rows of the corpus, or -1.

        Raises:
          UserError: the loss of the step before is not finite.
        """
        self.catch_up()
        self._pending = step, sums, ids

    def catch_up(self):
        """Reads the newest step, too. Raises UserError as `add` does."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            self._read(*pending)

    def validated(self, step: int, bleu: float):
        """The score of a validation, 0 to 100, which took no training time."""
        self._began = time.monotonic()
        if self._writes:
            self._metrics.write({"step": step, "validation_bleu": bleu})
            self._progress.say(
                f"step {step} (epoch {step / self._epoch:.2f}): validation BLEU {bleu:.2f} "
                "(greedy, smoothed sentence BLEU)"
            )

    def close(self):
        """Closes files and bar."""
        if self._writes:
            self._metrics.close()
            self._progress.close()

    def _read(self, step: int, sums: BatchSums, ids: np.ndarray):
        sums = unreplicate(sums)
        if not np.isfinite(sums.negative_log_prob + sums.gradient_norm):
            rows = ", ".join(map(str, sorted(ids[ids >= 0].tolist())))
            raise UserError(
                f"step {step} has loss {sums.negative_log_prob} and gradient norm "
                f"{sums.gradient_norm}: training stopped before it was saved. Last good "
                f"checkpoint: {self._saved()}. Lower --training.learning-rate, or look at the "
                f"batch's sentences: rows {rows} of the training set"
            )
        self._sums.append(sums)
        if step % STEPS_BETWEEN_ROWS:
            return
        total = jax.tree.map(lambda *leaves: float(np.sum(leaves)), *self._sums)
        now = time.monotonic()
        row = {
            "step": step,
            "epoch": step / self._epoch,
            "loss": total.negative_log_prob / total.sentences,
            "loss_per_token": total.negative_log_prob / total.words,
            "strength": total.strength / total.words,
            "tokens_per_second": total.words / (now - self._began),
            "learning_rate": float(self._rate(step - 1)),
        }
        self._sums, self._began = [], now
        if self._writes:
            self._metrics.write(row)
            self._progress.show(step, row)
