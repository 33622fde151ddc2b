"""What a training needs, known before it begins: memory, disk and time."""

import resource
import time
from dataclasses import dataclass
from statistics import median

import jax
import numpy as np

from fa_jax.config import Config
from fa_jax.data.prepared import prepare
from fa_jax.recipe import amount_of_text, told
from fa_jax.runs.terminal import say
from fa_jax.runs.train import check_learns
from fa_jax.training.epochs import Epochs
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.schedule import settings_of_step, total_steps
from fa_jax.training.step import init_state, make_train_step, replicate, shard

TIMED = 3
"""Steps, behind the one that compiles."""


@dataclass(frozen=True)
class Forecast:
    """batch: sentences, source and target tokens of the largest one. parameters: numbers that are
    learnt. planned, reached: bytes of its step on a device by XLA's plan, and the most that a
    device, or on a CPU the process, came to. disk: bytes of checkpoints, while one replaces
    another. step, compilation: seconds. steps, shapes: of the training, and of its batches. share:
    the mean batch's tokens ÷ the largest one's."""

    batch: tuple[int, int, int]
    parameters: int
    planned: int
    reached: int
    disk: int
    step: float
    compilation: float
    steps: int
    shapes: int
    share: float

    def __str__(self) -> str:
        rows, source, target = self.batch
        minutes = (self.steps * self.step * self.share + self.shapes * self.compilation) / 60
        said = {
            "largest batch": f"{rows:,} sentences, {source:,} and {target:,} tokens",
            "parameters": f"{self.parameters:,}",
            "memory": f"{self.planned / 1e9:.2f} GB on a device, by XLA's plan of such a step; "
            f"{self.reached / 1e9:.2f} GB reached by {TIMED} of them",
            "disk": f"{self.disk / 1e9:.2f} GB, while a checkpoint replaces another",
            "step": f"{self.step:.2f} s of such a batch, the median of {TIMED}; "
            f"{self.compilation:.0f} s to compile, for each of {self.shapes} shapes",
            "training": f"{self.steps:,} steps: about {minutes:,.0f} min, and the validations",
        }
        return "\n".join(f"{name:15}{text}" for name, text in said.items())


def forecast(config: Config) -> Forecast:
    """Prepares the text, and does three steps of the largest batch. Nothing is kept of them.

    Raises:
      UserError: as `fa_jax.train`.
    """
    check_learns(config)
    data = prepare(config.data)
    say(told(config, amount_of_text(data.corpus)))
    epochs, optimizer = Epochs(config, data), make_optimizer(config.training)
    plan = epochs.first.plan
    tokens = [len(rows) * shape.sum() for rows, shape in zip(plan.rows, plan.shapes, strict=True)]
    _, batch = epochs.first.batch(int(np.argmax(tokens)))
    state = init_state(config, optimizer, len(data.source.vocabulary), len(data.target.vocabulary))
    parameters = sum(leaf.size for leaf in jax.tree.leaves(state.params))
    disk = 2 * sum(leaf.nbytes for leaf in jax.tree.leaves((state.params, state)))
    state, parts = replicate(state), shard(batch)
    step, settings = make_train_step(config, optimizer), settings_of_step(config.training, 2, 1)
    times = [time.perf_counter()]
    plan = step.lower(state, parts, settings).compile().memory_analysis()
    for _ in range(1 + TIMED):
        state, _ = jax.block_until_ready(step(state, parts, settings))
        times.append(time.perf_counter())
    first, *others = np.diff(times).tolist()
    return Forecast(
        batch=(len(batch.ids), batch.source.shape[1], batch.target.shape[1]),
        parameters=parameters,
        planned=plan.argument_size_in_bytes
        + plan.temp_size_in_bytes
        + plan.output_size_in_bytes
        - plan.alias_size_in_bytes,
        reached=_reached(),
        disk=disk,
        step=median(others),
        compilation=max(0.0, first - median(others)),
        steps=total_steps(config.training, epochs.steps),
        shapes=epochs.shapes,
        share=float(np.mean(tokens) / np.max(tokens)),
    )


def _reached() -> int:
    """Bytes, at the most so far: of a device, or of the process where devices count none."""
    counted = jax.local_devices()[0].memory_stats() or {}
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return counted.get("peak_bytes_in_use", 1024 * kilobytes)
