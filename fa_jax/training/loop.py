"""Trains a run from its first or last saved step to its end."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import jax
import numpy as np
from jaxtyping import PyTree

from fa_jax.config import Config
from fa_jax.data.batches import Batch, BatchPlan, epoch_order, make_batch, plan_batches, prefetch
from fa_jax.data.encoded import PreparedData
from fa_jax.errors import UserError
from fa_jax.model.translator import Params
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.hosts import highest
from fa_jax.training.interruption import Interruption
from fa_jax.training.metrics import Metrics
from fa_jax.training.objective import BatchSums
from fa_jax.training.optimizer import learning_rate, make_optimizer, total_steps
from fa_jax.training.progress import Progress
from fa_jax.training.step import (
    TrainState,
    init_state,
    make_train_step,
    replicate,
    shard,
    unreplicate,
)

STEPS_BETWEEN_ROWS = 20


class Interrupted(Exception):
    """The run was asked to stop and has saved itself. args: the signal and the step."""


@dataclass
class _Score:
    """Validation BLEU of the best parameters so far, and their step."""

    bleu: float = -1.0
    step: int = 0


def train(
    run: Path,
    config: Config,
    data: PreparedData,
    validate: Callable[[Params], float],
    start: Params | None = None,
):
    """Trains until the config's last step; resumes where the run's last checkpoint is.

    validate: the score that chooses the best checkpoint; higher is better.
    start: parameters to begin a new run from, instead of random ones.

    Raises:
      UserError: the loss is not finite, or a checkpoint cannot be written.
      Interrupted: SIGTERM or Ctrl-C; everything is saved.
    """
    lengths = data.train.source.lengths, data.train.target.lengths
    plan = plan_batches(
        *lengths,
        batch_size=_divisible(config.training.batch_size),
        max_length=config.data.max_length,
        padded_shapes=config.data.padded_shapes,
    )
    optimizer = make_optimizer(config.training, len(plan))
    train_step = make_train_step(config, optimizer)
    last_step = total_steps(config.training, len(plan))
    validation_steps = _validation_steps(config, len(plan), last_step)

    state = init_state(config, optimizer, len(data.source.vocabulary), len(data.target.vocabulary))
    if start is not None:
        state = state.replace(params=start, optimizer=optimizer.init(start))
    latest, best = Checkpoints(run, "latest"), Checkpoints(run, "best")
    score, step = _Score(), 0
    if latest.step() is not None:
        step, state, note = latest.restore(state)
        score = _Score(note["best_bleu"], note["best_step"])
        print(f"resuming {run} at step {step} of {last_step}", file=sys.stderr)

    main = jax.process_index() == 0
    metrics = Metrics(run, step) if main else None
    progress = Progress(last_step, step) if main else None
    rows = _Rows(metrics, progress, learning_rate(config.training, len(plan)), len(plan))
    state = replicate(state)
    saved_at = time.monotonic()
    agree_every = 1 if jax.process_count() == 1 else STEPS_BETWEEN_ROWS

    def save(step: int, state: TrainState):
        rows.close_step(step)  # a state whose loss was not finite is never saved
        latest.save(step, unreplicate(state), {"best_bleu": score.bleu, "best_step": score.step})

    try:
        with Interruption() as interruption:
            for index, batch in prefetch(_batches(data, plan, config, step, last_step)):
                state, sums = train_step(state, shard(batch))
                step += 1
                # The numbers of the step before are ready; this one's are being computed.
                rows.add(step, sums, plan.rows[index], _survivor(latest))
                if step in validation_steps:
                    rows.close_step(step)
                    bleu = highest(validate(unreplicate(state.params)))
                    rows.validated(step, bleu)
                    if bleu > score.bleu:
                        score.bleu, score.step = bleu, step
                        best.save(step, unreplicate(state.params), {"validation_bleu": bleu})
                        best.wait()
                asked, age = 0, 0.0
                if step % agree_every == 0:
                    asked = highest(interruption.signal or 0)
                    age = highest(time.monotonic() - saved_at)
                late = age > config.training.checkpoint_seconds
                if step in validation_steps or step == last_step or asked or late:
                    save(step, state)
                    saved_at = time.monotonic()
                if asked:
                    latest.wait()
                    raise Interrupted(int(asked), step)
        latest.wait()
    finally:
        for resource in (rows, latest, best):
            resource.close()


def _divisible(batch_size: int) -> int:
    devices = jax.device_count()
    if batch_size % devices:
        raise UserError(
            f"training.batch_size = {batch_size} cannot be shared evenly by {devices} devices: "
            f"choose a multiple of {devices}"
        )
    return batch_size


def _validation_steps(config: Config, epoch: int, last_step: int) -> set[int]:
    every = max(1, epoch // config.training.validations)
    return {*range(every, last_step + 1, every), last_step}


def _batches(
    data: PreparedData, plan: BatchPlan, config: Config, first: int, last: int
) -> Iterator[tuple[int, Batch]]:
    """The run's batches from a step on: position in the data is a function of the step."""
    order: tuple[int, np.ndarray] | None = None
    for step in range(first, last):
        epoch, place = divmod(step, len(plan))
        if order is None or order[0] != epoch:
            order = epoch, epoch_order(plan, config.training.seed, epoch)
        index = int(order[1][place])
        yield index, make_batch(data.train, plan, index)


def _survivor(latest: Checkpoints) -> str:
    step = latest.step()
    return "none was saved yet" if step is None else str(latest.folder / str(step))


class _Rows:
    """Adds up the steps' numbers and writes a row every so often, one step behind the device."""

    def __init__(self, metrics: Metrics | None, progress: Progress | None, rate, epoch: int):
        self._metrics, self._progress, self._rate, self._epoch = metrics, progress, rate, epoch
        self._pending: tuple[int, PyTree, np.ndarray, str] | None = None
        self._sums: list[BatchSums] = []
        self._began = time.monotonic()

    def add(self, step: int, sums: BatchSums, ids: np.ndarray, survivor: str):
        before, self._pending = self._pending, (step, sums, ids, survivor)
        if before is not None:
            self._read(*before)

    def close_step(self, step: int):
        """Reads the newest step's numbers too."""
        if self._pending is not None:
            self._read(*self._pending)
            self._pending = None

    def validated(self, step: int, bleu: float):
        self._began = time.monotonic()  # validation is no training time
        if self._metrics is not None:
            self._metrics.write({"step": step, "validation_bleu": bleu})
            self._progress.say(
                f"step {step} (epoch {step / self._epoch:.2f}): validation BLEU {bleu:.2f} "
                "(greedy, smoothed sentence BLEU)"
            )

    def close(self):
        if self._metrics is not None:
            self._metrics.close()
            self._progress.close()

    def _read(self, step: int, sums: BatchSums, ids: np.ndarray, survivor: str):
        sums = unreplicate(sums)
        if not np.isfinite(sums.negative_log_prob + sums.gradient_norm):
            rows = ", ".join(map(str, sorted(ids[ids >= 0].tolist())))
            raise UserError(
                f"step {step} has loss {sums.negative_log_prob} and gradient norm "
                f"{sums.gradient_norm}: training stopped before it was saved. Last good "
                f"checkpoint: {survivor}. Lower --training.learning-rate, or look at the batch's "
                f"sentences: rows {rows} of the training set"
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
        if self._metrics is not None:
            self._metrics.write(row)
            self._progress.show(step, row)
