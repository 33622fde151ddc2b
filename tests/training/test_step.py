"""One step of training, on one device and on eight."""

import jax
import numpy as np
import optax
import pytest

from fa_jax.config import Config, TrainingConfig
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.schedule import StepSettings
from fa_jax.training.step import init_state, make_train_step, replicate, shard, unreplicate
from tests.model.test_encoder_decoder import CONFIG
from tests.training.test_loss import batch, loss

CLIPPED = Config(
    model=CONFIG, training=TrainingConfig(batch_size=8, optimizer="adam", clip_norm=0.5)
)
OPTIMIZER = make_optimizer(CLIPPED.training)


@pytest.fixture(scope="module")
def train_step():
    return make_train_step(CLIPPED, OPTIMIZER)


@pytest.mark.parametrize("settings", [StepSettings(0.1), StepSettings(0.1, 0.3, 0.5)])
def test_a_step_on_eight_devices_is_the_step_of_the_equations(train_step, settings):
    state = init_state(CLIPPED, OPTIMIZER, 10, 8)
    pairs = batch(8)
    of = lambda p: loss(p, pairs, settings.beta, settings.threshold)[0]  # noqa: E731
    gradient = jax.jit(jax.grad(of))(state.params)
    plain = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(0.1))
    with jax.numpy_dtype_promotion("standard"):  # optax raises floats to counts
        updates, _ = jax.jit(plain.update)(gradient, jax.jit(plain.init)(state.params))
    expected = jax.tree.map(np.add, state.params, updates)

    pairs = shard(jax.tree.map(np.asarray, pairs))
    stepped, sums = train_step(replicate(state), pairs, settings)
    found = unreplicate(stepped)
    assert found.step == 1
    norm = np.sqrt(sum(np.square(leaf).sum() for leaf in jax.tree.leaves(gradient)))
    np.testing.assert_allclose(unreplicate(sums).gradient_norm, norm, rtol=1e-4)
    # Adam's first step is the gradient's sign: where it is nearly 0 rounding decides.
    for a, b, g in zip(*map(jax.tree.leaves, (found.params, expected, gradient)), strict=True):
        clear = np.abs(g) > 1e-6
        np.testing.assert_allclose(a[clear], np.asarray(b)[clear], rtol=1e-3, atol=1e-4)
