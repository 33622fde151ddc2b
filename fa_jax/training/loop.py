"""Trains a run from its first or last saved step to its end."""

import math
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import jax
import jax.numpy as jnp

from fa_jax.config import Config
from fa_jax.data.batches import prefetch
from fa_jax.data.prepared import PreparedData
from fa_jax.hosts import gathered
from fa_jax.model.encoder_decoder import Params
from fa_jax.model.product import ROUNDED
from fa_jax.signals import handled
from fa_jax.terminal import say
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.epochs import Epochs
from fa_jax.training.metrics import STEPS_BETWEEN_ROWS, Metrics
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.precision import training_precision
from fa_jax.training.schedule import settings_of_step, total_steps, validation_steps
from fa_jax.training.step import init_state, make_train_step, replicate, shard, unreplicate

STOPPING = b"\nstopping: this step is finished and saved first (Ctrl-C again: at once, unsaved)\n"


class Interrupted(Exception):
    """The run was asked to stop and has saved itself. args: the signal and the step."""


def train(
    run: Path,
    config: Config,
    data: PreparedData,
    validate: Callable[[Params, float], float],
    start: Params | None = None,
):
    """Trains to the last step; resumes from the last checkpoint.

    Checkpoints and metrics are written into the run's folder, progress to stderr.

    Args:
      run: the run's folder. data: encoded by the run's own vocabularies.
      validate: the score that chooses the best checkpoint, of parameters and τ; higher is better.
        Where windows are learnt from some step on, it is one from there.
      start: parameters to begin a new run from, instead of random ones.

    Raises:
      UserError: the loss is not finite, a checkpoint cannot be written or read, or the devices
        cannot share a batch.
      Interrupted: SIGTERM or Ctrl-C; everything is saved.
    """
    training = config.training
    epochs, optimizer = Epochs(config, data), make_optimizer(training)
    train_step, shapes = make_train_step(config, optimizer), epochs.shapes
    last_step = total_steps(training, epochs.steps)
    validated_after = validation_steps(training, last_step)
    windows_from = training.windows_from * last_step
    first_in_windows = next((step for step in validated_after if step > windows_from), None)

    latest, best = Checkpoints(run, "latest"), Checkpoints(run, "best")
    rounded = training_precision(jax.devices()[0].platform) == ROUNDED
    if rounded and (latest.step() or 0) < last_step:
        say(
            "products in training round their factors to bfloat16, which this processor "
            "multiplies fastest (JAX_DEFAULT_MATMUL_PRECISION=highest: no rounding)"
        )
    state = init_state(config, optimizer, len(data.source.vocabulary), len(data.target.vocabulary))
    if start is not None:
        start = jax.tree.map(jnp.asarray, start)
        state = state.replace(params=start, optimizer=optimizer.init(start))
    step, best_score, best_name = 0, -math.inf, f"best_{training.best_by}"
    if latest.step() is not None:
        step, state, note = latest.restore(state)
        best_score = note[best_name]
        say(f"resuming {run} at step {step} of {last_step}")
    metrics = Metrics(run, epochs.steps, step, last_step, latest)
    state, saved_at = replicate(state), time.monotonic()

    try:
        with _noted_signals() as signals:
            for rows, batch in prefetch(epochs.batches(step, last_step)):
                metrics.begins(batch, shapes)
                settings = settings_of_step(training, last_step, step)
                state, sums = train_step(state, shard(batch), settings)
                step += 1
                # The numbers of the step before are ready; this one's are being computed.
                metrics.add(step, sums, rows, settings)
                validates = step in validated_after
                if validates:
                    metrics.catch_up()
                    # All positions of documents would take too long.
                    narrow = training.in_windows and step > windows_from
                    threshold = training.threshold if narrow else math.inf
                    score = max(gathered(validate(unreplicate(state.params), threshold)))
                    metrics.validated(step, training, score, threshold)
                    if step == first_in_windows:
                        best_score = -math.inf  # no earlier one counts any more
                    if score > best_score:
                        best_score = score
                        note = {f"validation_{training.best_by}": score}
                        best.save(step, unreplicate(state.params), note)
                        best.wait()
                asked, late = _agreed(step, signals, saved_at + training.checkpoint_seconds)
                if validates or asked or late:
                    metrics.catch_up()  # a state whose loss was not finite is never saved
                    latest.save(step, unreplicate(state), {best_name: best_score})
                    saved_at = time.monotonic()
                if asked:
                    latest.wait()
                    raise Interrupted(asked, step)
        latest.wait()
    finally:
        for resource in (metrics, latest, best):
            resource.close()


def _agreed(step: int, signals: Sequence[int], due: float) -> tuple[int, bool]:
    """A signal to stop by, 0 without one, and whether a checkpoint is due.

    Decided by all, every so many steps: a host that saved or stopped alone would wait for the
    others. due: on this host's clock.
    """
    if jax.process_count() > 1 and step % STEPS_BETWEEN_ROWS:
        return 0, False
    hosts = gathered((max(signals, default=0), time.monotonic() > due))
    asked, late = map(max, zip(*hosts, strict=True))
    return asked, late


@contextmanager
def _noted_signals() -> Iterator[list[int]]:
    """While entered, SIGTERM or Ctrl-C is noted; a second one ends the program at once."""
    noted = []

    def note(number: int, _):
        if noted:
            raise KeyboardInterrupt
        noted.append(number)
        os.write(2, STOPPING)  # print may be in the middle of a line

    with handled((signal.SIGTERM, signal.SIGINT), by=note):
        yield noted
