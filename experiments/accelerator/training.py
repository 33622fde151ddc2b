"""How fast are the papers' models trained, and what share of the device's best is that?"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax

from experiments.accelerator.conditions import Conditions
from experiments.accelerator.peaks import peak_of
from experiments.accelerator.resume_side import SIZES
from experiments.benchmarks.operations import largest_product, operations, operations_of_product
from experiments.benchmarks.timing import alternate
from experiments.benchmarks.training_memory import full_batch
from experiments.benchmarks.training_throughput import trainer
from fa_jax.config import Config
from fa_jax.presets import preset
from fa_jax.training.step import TrainState

PRESETS = ("paper", "char")
DTYPES = ("float32", "bfloat16")
TOGETHER = 5
"""Steps that are started without a wait between them, as in training."""
PRODUCT = 8192


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """A row for each preset and precision of products."""
    shrunk = _shrunk if conditions.smallest else lambda config: config
    rounds, product = (1, 256) if conditions.smallest else (4, PRODUCT)
    configs = {
        (name, dtype): _computed_in(dtype, shrunk(preset(name, "en-ja", "")))
        for dtype in DTYPES
        for name in PRESETS
    }
    return {
        ", ".join(case): partial(_row, config, rounds, product) for case, config in configs.items()
    }


def _computed_in(dtype: str, config: Config) -> Config:
    return replace(config, model=replace(config.model, compute_dtype=dtype))


def _shrunk(config: Config) -> Config:
    """Sizes that show that it works."""
    data = replace(config.data, source_vocabulary=50, target_vocabulary=50, max_length=6)
    model = replace(config.model, **dict.fromkeys(SIZES, 8))
    training = replace(config.training, batch_size=jax.device_count())
    return replace(config, data=data, model=model, training=training)


def _row(config: Config, rounds: int, product: int) -> dict[str, Any]:
    data, dtype, rows = config.data, config.model.compute_dtype, config.training.batch_size
    vocabularies = data.source_vocabulary, data.target_vocabulary
    batch = full_batch(rows, *vocabularies, data.max_length)
    train = trainer(config, *vocabularies)

    def steps() -> TrainState:
        for _ in range(TOGETHER):
            state = train(batch)
        return state

    times = alternate({"product": largest_product(product, dtype), "steps": steps}, rounds)
    seconds, devices = times["steps"].seconds / TOGETHER, jax.device_count()
    useful = rows * operations_of_step(config) / seconds / 1e12
    measured = operations_of_product(product) / times["product"].seconds / 1e12
    peak = peak_of(jax.devices()[0].device_kind)
    of_peak = getattr(peak, dtype) if peak else None
    return {
        "ms_a_step": seconds * 1e3,
        "target_words_a_second": round(rows * data.max_length / seconds),
        "tflops": useful,
        "peak_tflops": devices * of_peak if of_peak else "not known",
        "of_peak": useful / devices / of_peak if of_peak else "",
        "product_tflops": devices * measured,
        "of_product": useful / devices / measured,
        "compilation_seconds": times["steps"].compilation,
        "spread": times["steps"].spread,
    }


def operations_of_step(config: Config) -> float:
    """Of a sentence of the greatest length and its translation of as many words."""
    each, length = operations(config.model, config.data.target_vocabulary), config.data.max_length
    return 3 * (length * (each.read + each.feed_back + each.write) + length**2 * each.score)
