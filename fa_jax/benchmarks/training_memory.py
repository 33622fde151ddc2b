"""How much memory does training the paper's word model take? Two steps of its largest batch.

VS 5.1: 1,000 units everywhere, 80,000 and 40,000 words, 64 pairs of 50 words. Run it alone: what is
measured is the peak of the whole process.
"""

import resource

import jax
import numpy as np

from fa_jax.benchmarks.report import Headline, Report
from fa_jax.data.batches import Batch
from fa_jax.presets import preset
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.step import init_state, make_train_step, replicate, shard

LENGTH = 50


def measure(rounds: int = 2) -> Report:
    """One row. rounds: steps of training. Peak memory is in decimal gigabytes."""
    config = preset("paper", "en-ja", "")
    optimizer = make_optimizer(config)
    vocabularies = config.data.source_vocabulary, config.data.target_vocabulary
    state = replicate(init_state(config, optimizer, *vocabularies))
    parameters = sum(leaf.size for leaf in jax.tree.leaves(state.params))
    random, size = np.random.default_rng(0), config.training.batch_size
    lengths = np.full(size, LENGTH, np.int32)
    batch = Batch(
        source=random.integers(4, vocabularies[0], (size, LENGTH)).astype(np.int32),
        source_lengths=lengths,
        target=random.integers(4, vocabularies[1], (size, LENGTH)).astype(np.int32),
        target_lengths=lengths,
        ids=np.arange(size, dtype=np.int32),
    )
    step, rate = make_train_step(config, optimizer), config.training.learning_rate
    for _ in range(rounds):
        state, _ = jax.block_until_ready(step(state, shard(batch), rate))
    row = {
        "parameters_millions": parameters / 1e6,
        "batch": size,
        "length": LENGTH,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }
    settings = {"preset": "paper", "steps": rounds}
    headlines = [Headline("peak memory of training the paper's word model, GB", row["peak_gb"], 12)]
    return Report("training_memory", settings, [row], headlines=headlines)
