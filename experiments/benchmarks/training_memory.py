"""How much memory do the papers' word models take in training? Steps of their largest batch.

VS 5.1: 1,000 units everywhere, 80,000 and 40,000 words, 64 pairs of 50 words. Luong et al. (2015):
four layers of 1,000 units, 50,000 words, 128 pairs. Run it alone: the peak is that of the whole
process.
"""

import resource
from typing import Any

import jax
import numpy as np

from experiments.benchmarks.report import Headline, Report
from fa_jax.data.batches import Batch
from fa_jax.presets import preset
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.schedule import StepSettings
from fa_jax.training.step import init_state, make_train_step, replicate, shard

LENGTH = 50
PRESETS = ("paper", "luong-general-local-p-feed")
"""The smaller one first: a process's peak does not come down."""


def measure(rounds: int = 2) -> Report:
    """A row a preset. rounds: steps of training. Memory is in decimal gigabytes: what the compiler
    planned for a step, and the peak of the process so far."""
    rows = [_measured(name, rounds) for name in PRESETS]
    headlines = [
        Headline("peak memory of training the paper's word model, GB", rows[0]["peak_gb"], 12)
    ]
    return Report("training_memory", {"steps": rounds}, rows, headlines=headlines)


def _measured(name: str, rounds: int) -> dict[str, Any]:
    config = preset(name, "en-ja", "")
    optimizer = make_optimizer(config.training)
    vocabularies = config.data.source_vocabulary, config.data.target_vocabulary
    state = replicate(init_state(config, optimizer, *vocabularies))
    parameters = sum(leaf.size for leaf in jax.tree.leaves(state.params))
    batch = shard(full_batch(config.training.batch_size, *vocabularies))
    step = make_train_step(config, optimizer)
    settings = StepSettings(config.training.learning_rate)
    planned = step.lower(state, batch, settings).compile().memory_analysis()
    for _ in range(rounds):
        state, _ = jax.block_until_ready(step(state, batch, settings))
    return {
        "preset": name,
        "parameters_millions": parameters / 1e6,
        "layers": config.model.layers,
        "batch": config.training.batch_size,
        "length": LENGTH,
        "planned_gb": (planned.argument_size_in_bytes + planned.temp_size_in_bytes) / 1e9,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }


def full_batch(
    size: int, source_vocabulary: int, target_vocabulary: int, length: int = LENGTH
) -> Batch:
    """As many words as a training sentence may have, in all of them."""
    random = np.random.default_rng(0)
    lengths = np.full(size, length, np.int32)
    return Batch(
        source=random.integers(4, source_vocabulary, (size, length)).astype(np.int32),
        source_lengths=lengths,
        target=random.integers(4, target_vocabulary, (size, length)).astype(np.int32),
        target_lengths=lengths,
        ids=np.arange(size, dtype=np.int32),
        sentences=np.ones(size, np.int32),
    )
