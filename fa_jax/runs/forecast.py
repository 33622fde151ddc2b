"""What a training needs, known before it begins: memory, disk and time."""

import os
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

import jax
import numpy as np

from fa_jax.compiler import compiler_options
from fa_jax.config import Config
from fa_jax.data.prepared import prepare
from fa_jax.errors import UserError
from fa_jax.recipe import amount_of_text, told
from fa_jax.runs.train import check_learns
from fa_jax.terminal import say
from fa_jax.training.epochs import Epochs
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.schedule import settings_of_step, total_steps
from fa_jax.training.step import init_state, make_train_step, replicate, shard

TIMED = 3
"""Steps, behind the first one."""


@dataclass(frozen=True)
class Plan:
    """What is known without a step. batch: sentences, source and target tokens of the largest one.
    parameters: numbers that are learnt. planned: bytes of its step on a device by XLA's plan:
    parameters, the optimizer's state, the batch and all that passes. beside: bytes that the process
    has without them, if it shares its memory with devices; else 0. room: bytes of that memory.
    disk: bytes of checkpoints, while one replaces another. steps, shapes: of the training, and of
    its batches. compilation: seconds."""

    batch: tuple[int, int, int]
    parameters: int
    planned: int
    beside: int
    room: int
    disk: int
    steps: int
    shapes: int
    compilation: float

    @property
    def fits(self) -> bool:
        """Whether there is so much memory."""
        return self.needed <= self.room

    @property
    def needed(self) -> int:
        """Bytes of memory: a device's own, or those of all devices and the process."""
        return self.beside + self.planned * (jax.local_device_count() if self.beside else 1)

    def __str__(self) -> str:
        rows, source, target = self.batch
        beside = f", {self.beside / 1e9:.2f} GB text, JAX and program" * bool(self.beside)
        said = {
            "largest batch": f"{rows:,} sentences, {source:,} and {target:,} tokens",
            "parameters": f"{self.parameters:,}",
            "memory": f"{self.needed / 1e9:.2f} GB: {self.planned / 1e9:.2f} GB on a device, by "
            f"XLA's plan of such a step{beside}",
            "disk": f"{self.disk / 1e9:.2f} GB, while a checkpoint replaces another",
            "steps": f"{self.steps:,}, of batches of {self.shapes} shapes; to compile each takes "
            f"{self.compilation:.0f} s",
        }
        if not self.fits:
            said["step"] = f"none was tried: here are {self.room / 1e9:.0f} GB of memory"
        return _table(said)


@dataclass(frozen=True)
class Pace:
    """What some steps of the largest batch took. reached: bytes of memory, as `Plan.needed`. step:
    seconds. training: seconds of all steps, which have smaller batches, too."""

    reached: int
    step: float
    training: float

    def __str__(self) -> str:
        return _table(
            {
                "reached": f"{self.reached / 1e9:.2f} GB of memory, by {TIMED} such steps",
                "step": f"{self.step:.2f} s of such a batch, the median of {TIMED}",
                "training": f"about {self.training / 60:,.0f} min, and the validations",
            }
        )


def forecast(config: Config) -> Iterator[Plan | Pace]:
    """Prepares the text and plans a step of the largest batch. If it fits, does some such steps.
    Nothing is kept of them. Raises UserError as `fa_jax.train`, and where several hosts ask."""
    check_learns(config)
    if jax.process_count() > 1:
        raise UserError("what a training needs is found by one process: ask one alone")
    data = prepare(config.data)
    say(told(config, amount_of_text(data.corpus)))
    epochs, optimizer = Epochs(config, data), make_optimizer(config.training)
    batches = epochs.first.plan
    tokens = [
        len(rows) * shape.sum() for rows, shape in zip(batches.rows, batches.shapes, strict=True)
    ]
    _, batch = epochs.first.batch(int(np.argmax(tokens)))
    vocabularies = len(data.source.vocabulary), len(data.target.vocabulary)
    state = jax.eval_shape(lambda: init_state(config, optimizer, *vocabularies))
    saved = state.params, state  # the best ones, and the latest
    step, settings = make_train_step(config, optimizer), settings_of_step(config.training, 2, 1)
    devices, parts = jax.local_device_count(), shard(batch)
    began = time.perf_counter()
    on_all = jax.tree.map(lambda x: jax.ShapeDtypeStruct((devices, *x.shape), x.dtype), state)
    options = compiler_options(jax.default_backend())
    step = step.lower(on_all, parts, settings).compile(compiler_options=options)
    device, found = jax.local_devices()[0].memory_stats() or {}, step.memory_analysis()
    plan = Plan(
        batch=(len(batch.ids), batch.source.shape[1], batch.target.shape[1]),
        parameters=sum(leaf.size for leaf in jax.tree.leaves(state.params)),
        planned=found.argument_size_in_bytes
        + found.temp_size_in_bytes
        + found.output_size_in_bytes
        - found.alias_size_in_bytes,
        beside=0 if device else _most_of_process(),
        room=device.get("bytes_limit", os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")),
        disk=2 * sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(saved)),
        steps=total_steps(config.training, epochs.steps),
        shapes=epochs.shapes,
        compilation=time.perf_counter() - began,
    )
    yield plan
    if not plan.fits:
        return
    state, times = replicate(init_state(config, optimizer, *vocabularies)), []
    for _ in range(1 + TIMED):
        began = time.perf_counter()
        state, _ = jax.block_until_ready(step(state, parts, settings))
        times.append(time.perf_counter() - began)
    seconds, device = median(times[1:]), jax.local_devices()[0].memory_stats() or {}
    yield Pace(
        reached=device.get("peak_bytes_in_use", _most_of_process()),
        step=seconds,
        training=plan.steps * seconds * float(np.mean(tokens) / np.max(tokens))
        + plan.shapes * plan.compilation,
    )


def _most_of_process() -> int:
    """Bytes that this process had at the most."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _table(rows: dict[str, str]) -> str:
    return "\n".join(f"{name:15}{text}" for name, text in rows.items())
