"""How fast does the `small` preset train, against what this machine can do at best? And with
several layers?

Useful floating-point operations a second: those of the model's products, on real words only
(padding is computed, not counted), three times the forward pass for a step. At best: a 2048 × 2048
float32 product. Both sides alternate in one run, after compilation; medians.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from experiments.benchmarks.operations import largest_product, operations, operations_of_product
from experiments.benchmarks.report import Headline, Report
from experiments.benchmarks.timing import alternate
from fa_jax.config import Config
from fa_jax.data.batches import Batch
from fa_jax.data.prepared import prepare
from fa_jax.presets import preset
from fa_jax.training.epochs import Epochs
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.schedule import StepSettings
from fa_jax.training.step import TrainState, init_state, make_train_step, replicate, shard

LAYERS = (1, 4)


def measure(rounds: int = 15, languages: str = "en-ja") -> Report:
    """A row for each number of layers. Each round times a matrix product and one step of every
    padded shape of each.

    rounds: times that each of them is timed. languages: their default corpus is read.
    """
    config = preset("small", languages, "")
    data = prepare(config.data)
    epoch = Epochs(config, data).first
    plan = epoch.plan
    vocabularies = len(data.source.vocabulary), len(data.target.vocabulary)
    # A step's time depends on its shape alone: one batch of each, weighted by how many there are.
    _, first, counts = np.unique(plan.shapes, axis=0, return_index=True, return_counts=True)
    batches = {i: epoch.batch(i)[1] for i in first.tolist()}
    sides = {"product": largest_product()}
    models = {layers: replace(config.model, layers=layers) for layers in LAYERS}
    for layers, model in models.items():
        train = trainer(replace(config, model=model), *vocabularies)
        sides |= {(layers, i): partial(train, batch) for i, batch in batches.items()}
    times = alternate(sides, rounds)
    best = operations_of_product() / times["product"].seconds
    rows = plan.rows[plan.rows >= 0]
    source = data.train.source.lengths[rows].astype(float)
    target = data.train.target.lengths[rows] + 1.0  # end of sentence

    def row(layers: int) -> dict[str, Any]:
        steps = [times[layers, i] for i in batches]
        epoch = sum(n * step.seconds for n, step in zip(counts, steps, strict=True))
        each = operations(models[layers], vocabularies[1])
        forward = each.read * source + (each.feed_back + each.write) * target
        useful = 3 * (forward + each.score * source * target).sum() / epoch
        return {
            "languages": languages,
            "layers": layers,
            "ratio": useful / best,
            "useful_gflops": useful / 1e9,
            "product_gflops": best / 1e9,
            "target_tokens_per_second": float(target.sum() / epoch),
            "padding_share_source": 1 - source.sum() / (plan.shapes[:, 0] @ widths),
            "padding_share_target": 1 - target.sum() / (plan.shapes[:, 1] @ widths),
            "compilation_seconds": sum(step.compilation for step in steps),
        }

    widths = np.full(len(plan.shapes), plan.rows.shape[1])
    found = [row(layers) for layers in LAYERS]
    upwards = found[-1]["ratio"] / found[0]["ratio"]
    what = f"operations a second in training, {LAYERS[-1]} layers ÷ {LAYERS[0]}"
    headlines = [Headline(what, upwards, 1.0, at_least=True)]
    settings = {"preset": "small", "rounds": rounds}
    return Report("training_throughput", settings, found, headlines=headlines)


def trainer(config: Config, *vocabularies: int) -> Callable[[Batch], TrainState]:
    """A step of training, which goes on from the last one."""
    optimizer = make_optimizer(config.training)
    step = make_train_step(config, optimizer)
    state = replicate(init_state(config, optimizer, *vocabularies))
    settings = StepSettings(config.training.learning_rate)

    def train(batch: Batch) -> TrainState:
        nonlocal state  # a step consumes the state that it is given
        state, _ = step(state, shard(batch), settings)
        return state

    return train
