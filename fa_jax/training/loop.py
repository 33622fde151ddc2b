"""Trains a run from its first or last saved step to its end."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jax
import numpy as np

from fa_jax.config import Config
from fa_jax.data.batches import Batch, BatchPlan, epoch_order, make_batch, plan_batches, prefetch
from fa_jax.data.encoded import PreparedData
from fa_jax.errors import UserError
from fa_jax.model.encoder_decoder import Params
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.hosts import highest
from fa_jax.training.interruption import Interruption
from fa_jax.training.optimizer import learning_rate, make_optimizer, total_steps
from fa_jax.training.rows import STEPS_BETWEEN_ROWS, Rows
from fa_jax.training.step import init_state, make_train_step, replicate, shard, unreplicate


class Interrupted(Exception):
    """The run was asked to stop and has saved itself. args: the signal and the step."""


def train(
    run: Path,
    config: Config,
    data: PreparedData,
    validate: Callable[[Params], float],
    start: Params | None = None,
):
    """Trains until the config's last step; resumes where the run's last checkpoint is.

    Checkpoints and metrics are written into the run's folder, progress to stderr.

    Args:
      run: the run's folder. data: encoded by the run's own vocabularies.
      validate: the score that chooses the best checkpoint; higher is better.
      start: parameters to begin a new run from, instead of random ones.

    Raises:
      UserError: the loss is not finite, a checkpoint cannot be written or read, or the devices
        cannot share a batch.
      Interrupted: SIGTERM or Ctrl-C; everything is saved.
    """
    plan = plan_batches(
        data.train.source.lengths,
        data.train.target.lengths,
        batch_size=_divisible(config.training.batch_size),
        max_length=config.data.max_length,
        padded_shapes=config.data.padded_shapes,
    )
    optimizer = make_optimizer(config, len(plan))
    train_step = make_train_step(config, optimizer)
    last_step = total_steps(config.training, len(plan))
    validation_steps = _validation_steps(config, len(plan), last_step)

    state = init_state(config, optimizer, len(data.source.vocabulary), len(data.target.vocabulary))
    if start is not None:
        state = state.replace(params=start, optimizer=optimizer.init(start))
    latest, best = Checkpoints(run, "latest"), Checkpoints(run, "best")
    step, record = 0, {"best_bleu": -1.0, "best_step": 0}
    if latest.step() is not None:
        step, state, record = latest.restore(state)
        print(f"resuming {run} at step {step} of {last_step}", file=sys.stderr)
    rate = learning_rate(config.training, len(plan))
    rows = Rows(run, step, last_step, len(plan), rate, lambda: _newest(latest))
    state = replicate(state)
    saved_at = time.monotonic()
    agree_every = 1 if jax.process_count() == 1 else STEPS_BETWEEN_ROWS

    try:
        with Interruption() as interruption:
            for index, batch in prefetch(_batches(data, plan, config, step, last_step)):
                state, sums = train_step(state, shard(batch))
                step += 1
                # The numbers of the step before are ready; this one's are being computed.
                rows.add(step, sums, plan.rows[index])
                if step in validation_steps:
                    rows.catch_up()
                    bleu = highest(validate(unreplicate(state.params)))
                    rows.validated(step, bleu)
                    if bleu > record["best_bleu"]:
                        record = {"best_bleu": bleu, "best_step": step}
                        best.save(step, unreplicate(state.params), {"validation_bleu": bleu})
                        best.wait()
                asked, age = 0, 0.0
                if step % agree_every == 0:
                    asked = highest(interruption.signal or 0)
                    age = highest(time.monotonic() - saved_at)
                late = age > config.training.checkpoint_seconds
                if step in validation_steps or asked or late:
                    rows.catch_up()  # a state whose loss was not finite is never saved
                    latest.save(step, unreplicate(state), record)
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
    """Among them the last step."""
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


def _newest(checkpoints: Checkpoints) -> str:
    step = checkpoints.step()
    return "none was saved yet" if step is None else str(checkpoints.folder / str(step))
