"""What does a step of training cost at length, in windows and at all positions?

Both sides train the same model on as many words, in passages of one length. Memory is what the
compiler plans for a step beside parameters and batch.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.benchmarks.report import Headline, Report
from experiments.benchmarks.timing import alternate
from fa_jax.attention import AttentionConfig
from fa_jax.config import Config, ModelConfig, TrainingConfig
from fa_jax.data.batches import Batch
from fa_jax.finetuning_settings import THRESHOLD
from fa_jax.model.encoder_decoder import Params, init_encoder_decoder
from fa_jax.training.loss import translation_loss

LENGTHS = (128, 512, 1024)
WORDS = 4096
"""Of a batch, on either side."""
VOCABULARY = 4000
ATTENTION = AttentionConfig()
WIDTH = 12.0
"""Of the prior, in positions: windows at the threshold of learning are 2.5 times as wide."""


def measure(rounds: int = 5) -> Report:
    """A row for each length. rounds: times that each side is timed."""
    rows = [_row(length, rounds) for length in LENGTHS]
    last = rows[-1]
    headlines = [
        Headline(f"a step at {last['length']:,} words, windows ÷ dense, {what}", last[what], 0.5)
        for what in ("time", "memory")
    ]
    notes = [
        "Parameters and words are random; the strength is set so that windows are as wide as those "
        "of trained runs. Half of a window is outside where the focus is at an end."
    ]
    settings = {"words of a batch": WORDS, "vocabulary": VOCABULARY, "rounds": rounds}
    return Report("training_length", settings, rows, notes, headlines)


def compiled(
    length: int, words: int = WORDS
) -> dict[str, tuple[jax.stages.Compiled, Params, Batch]]:
    """A step in windows and a dense one, and what they take. words: of the batch."""
    batch, found = _batch(length, words), {}
    for name, in_windows in (("windows", True), ("dense", False)):
        training = TrainingConfig(label_smoothing=0.1, in_windows=in_windows)
        config = Config(model=ModelConfig(attention=ATTENTION), training=training)
        params = _params(config)
        step = jax.jit(partial(_gradient, config=config)).lower(params, batch).compile()
        found[name] = step, params, batch
    return found


def _row(length: int, rounds: int) -> dict[str, Any]:
    found = compiled(length)
    times = alternate(
        {name: partial(step, *inputs) for name, (step, *inputs) in found.items()}, rounds
    )
    planned = {
        name: step.memory_analysis().temp_size_in_bytes for name, (step, *_) in found.items()
    }
    windows, dense = times["windows"], times["dense"]
    return {
        "length": length,
        "time": windows.seconds / dense.seconds,
        "memory": planned["windows"] / planned["dense"],
        "windows, ms a word": windows.seconds / WORDS * 1e3,
        "dense, ms a word": dense.seconds / WORDS * 1e3,
        "windows, MB": planned["windows"] / 1e6,
        "dense, MB": planned["dense"] / 1e6,
        "spread": max(windows.spread, dense.spread),
    }


def _params(config: Config) -> Params:
    """With the strength whose prior has the width."""
    params = init_encoder_decoder(jax.random.key(0), config.model, VOCABULARY, VOCABULARY)
    g = (ATTENTION.span.sigma / WIDTH) ** 2
    params["decoder"]["attention"]["strength"]["bias"] = jnp.float32(np.log(g / (1 - g)))
    return params


def _batch(length: int, words: int) -> Batch:
    random, rows = np.random.default_rng(0), words // length
    lengths = jnp.full(rows, length)
    source, target = random.integers(4, VOCABULARY, (2, rows, length)).astype(np.int32)
    ids, ones = jnp.arange(rows), jnp.ones(rows, int)
    return Batch(jnp.asarray(source), lengths, jnp.asarray(target), lengths, ids, ones)


def _gradient(params: Params, batch: Batch, config: Config) -> Params:
    keys = jax.random.split(jax.random.key(0), len(batch.ids))
    count = jnp.float32(len(batch.ids))
    options = {"sentences": count, "beta": 0.0, "threshold": THRESHOLD, "training_keys": keys}
    return jax.grad(translation_loss, has_aux=True)(params, config, batch, **options)[0]
