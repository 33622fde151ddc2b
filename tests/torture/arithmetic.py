"""A training whose steps are arithmetic in place of gradients, so that it takes no time to compile.

All that it does to files is real: its text, its folder, its checkpoints, its rows of numbers.
"""

from types import SimpleNamespace
from unittest.mock import patch

import jax
import jax.numpy as jnp
import numpy as np

import fa_jax
from fa_jax.config import Config, DataConfig, DecodingConfig, TrainingConfig
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.loss import BatchSums
from fa_jax.training.metrics import read_metrics
from fa_jax.training.step import TrainState

STEPS, VALIDATIONS, BETWEEN_ROWS = 8, 3, 2


def train(corpus, folder):
    """From wherever the folder is to the end."""
    data = DataConfig(
        corpus=str(corpus), source_vocabulary=200, target_vocabulary=600, padded_shapes=1
    )
    training = TrainingConfig(
        batch_size=16, epochs=9.0, steps=STEPS, validations=VALIDATIONS, checkpoint_seconds=1e-6
    )
    config = Config(data=data, training=training, decoding=DecodingConfig(length_exponent=1.0))
    with (
        patch("fa_jax.training.loop.init_state", first_state),
        patch("fa_jax.training.loop.make_train_step", lambda *_: next_state),
        patch("fa_jax.training.metrics.STEPS_BETWEEN_ROWS", BETWEEN_ROWS),
        patch("fa_jax.runs.train.validate", _score),
        patch("fa_jax.runs.train.check_learns"),
        patch("fa_jax.runs.train.load_run", lambda _: SimpleNamespace(config=config)),
    ):
        fa_jax.train(config, folder)


def results(folder):
    """All that a training leaves: checkpoints by their checksums. Of a row of numbers that was
    being added up when it stopped, the steps before are not in it."""
    found = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    for kind in ("latest", "best"):
        place = Checkpoints(folder, kind, writes=False).place()
        found[kind] = place.name, (place / "note" / "metadata").read_bytes()
    rows = read_metrics(folder)
    found["rows"] = [(row["step"], row.get("validation_bleu"), row.get("epoch")) for row in rows]
    return found


def first_state(*_):
    random = np.random.default_rng(0)
    sizes = {"matrix": (64, 64), "vector": 3}
    params = {k: jnp.asarray(random.random(n, np.float32)) for k, n in sizes.items()}
    return TrainState(jnp.asarray(np.int32(0)), params, {"of": params}, np.zeros(2, np.uint32))


def next_state(state, batch, settings):
    """What it learns depends on all steps before, on the batch and on the rate."""
    new = np.float32(batch.source.sum() + batch.ids.max())

    def learnt(leaf):
        return jnp.asarray(np.asarray(leaf) * np.float32(0.75) + new * np.float32(settings.rate))

    params = jax.tree.map(learnt, state.params)
    step, sums = jnp.asarray(np.asarray(state.step) + 1), [jnp.asarray(np.full(1, new))] * 7
    return TrainState(step, params, {"of": params}, state.key), BatchSums(*sums)


def _score(params, threshold, config, data):
    """Up and down, so that the best is not the last."""
    return float(np.asarray(params["matrix"]).sum() % 100)
