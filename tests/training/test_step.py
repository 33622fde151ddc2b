"""One step of training: losses, weights of sentences, learning rates."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from fa_jax.attention import Adaptive, AttentionConfig, NoAttention
from fa_jax.config import Config, TrainingConfig
from fa_jax.data.batches import Batch
from fa_jax.errors import UserError
from fa_jax.presets import SYSTEMS
from fa_jax.training.objective import objective
from fa_jax.training.optimizer import learning_rate, make_optimizer, total_steps
from fa_jax.training.step import init_state, make_train_step, replicate, shard, unreplicate
from tests.model.reference import force
from tests.model.test_encoder_decoder import (
    CONFIG,
    SOURCES,
    TARGETS,
    forced,
    padded,
    parameters,
)

LENGTHS = np.array([[len(s), len(t)] for s, t in zip(SOURCES, TARGETS, strict=True)], np.int32)


def batch(rows=3, source_length=11, target_length=9):
    """The three pairs and as many empty rows as are asked for on top."""
    empty = rows - 3
    made = Batch(
        source=np.pad(padded(SOURCES, source_length), ((0, empty), (0, 0))),
        source_lengths=np.pad(LENGTHS[:, 0], (0, empty)),
        target=np.pad(padded(TARGETS, target_length), ((0, empty), (0, 0))),
        target_lengths=np.pad(LENGTHS[:, 1], (0, empty)),
        ids=np.pad(np.arange(3, dtype=np.int32), (0, empty), constant_values=-1),
    )
    return jax.tree.map(jnp.asarray, made)


def loss(params, batch, beta=0.1, threshold=np.inf, config=CONFIG, keys=None):
    return objective(
        params,
        Config(model=config, training=TrainingConfig(beta=beta, threshold=threshold)),
        batch,
        sentences=jnp.float32(3),
        training_keys=keys,
    )


@pytest.mark.parametrize(("beta", "threshold"), [(0.0, np.inf), (0.1, np.inf), (0.1, 0.05)])
def test_the_loss_is_equation_9_over_the_windows(beta, threshold):
    params = parameters()
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    expected = 0
    for source, target in zip(SOURCES, TARGETS, strict=True):
        log_probs, strength, *_ = force(doubles, source, target, 1.5, threshold)
        expected += (-log_probs.sum() - beta * strength.mean()) / 3
    found, sums = loss(params, batch(), beta, threshold)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (sums.words, sums.sentences) == (LENGTHS[:, 1].sum(), 3)


def test_a_sentence_pays_what_its_span_costs():
    """The adaptive span's extent, twenty times as dear."""
    cheap, dear = (
        dataclasses.replace(CONFIG, attention=AttentionConfig("concat", Adaptive(price=price)))
        for price in (0.01, 0.21)
    )
    params = parameters(cheap)
    _, attended = forced(params, cheap, 11, 9)
    extent = [attended.cost[: len(t), row].mean() / 0.01 for row, t in enumerate(TARGETS)]
    losses = [loss(params, batch(), beta=0, config=config)[0] for config in (cheap, dear)]
    np.testing.assert_allclose(losses[1] - losses[0], 0.2 * sum(extent) / 3, rtol=1e-4)


DIFFERENT = {name: s for name, s in SYSTEMS.items() if s.model or name == "flexible"}


@pytest.mark.parametrize("system", DIFFERENT)
def test_empty_rows_and_padding_change_nothing(system):
    """In any system of the three papers. Each parameter of it learns something."""
    config = dataclasses.replace(CONFIG, **SYSTEMS[system].model)
    params = parameters(config)

    def gradient(made):
        keys = jax.random.split(jax.random.key(0), 8)[: len(made.ids)]
        keys = None if config.dropout else keys
        options = {"config": config, "keys": keys}
        return jax.jit(jax.grad(lambda p: loss(p, made, **options)[0]))(params)

    near, far = gradient(batch()), gradient(batch(8, 20, 16))
    if config.attention == NoAttention():
        near["encoder"].pop("forward"), far["encoder"].pop("forward")  # read by attention alone
    for path, leaf in jax.tree_util.tree_leaves_with_path(near):
        assert np.isfinite(leaf).all() and np.abs(leaf).max() > 0, path
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5), near, far)


def test_rematerialized_gradients_are_the_same():
    params = parameters()
    again = dataclasses.replace(CONFIG, rematerialize=True)
    plain = jax.grad(lambda p: loss(p, batch())[0])(params)
    saved = jax.grad(lambda p: loss(p, batch(), config=again)[0])(params)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), plain, saved)


def test_a_step_on_eight_devices_is_the_step_of_the_equations():
    training = TrainingConfig(batch_size=8, learning_rate=0.1, clip_norm=0.5)
    config = Config(model=CONFIG, training=training)
    optimizer = make_optimizer(config, 10)
    state = init_state(config, optimizer, 10, 8)
    gradient = jax.grad(lambda p: loss(p, batch(8), beta=0)[0])(state.params)
    plain = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(0.1))
    updates, _ = plain.update(gradient, plain.init(state.params))
    expected = optax.apply_updates(state.params, updates)

    stepped, sums = make_train_step(config, optimizer)(
        replicate(state), shard(jax.tree.map(np.asarray, batch(8)))
    )
    found = unreplicate(stepped)
    assert found.step == 1
    np.testing.assert_allclose(
        unreplicate(sums).gradient_norm, optax.tree.norm(gradient), rtol=1e-4
    )
    # Adam's first step is the gradient's sign: where it is nearly 0 rounding decides.
    for a, b, g in zip(*map(jax.tree.leaves, (found.params, expected, gradient)), strict=True):
        clear = np.abs(g) > 1e-6
        np.testing.assert_allclose(a[clear], np.asarray(b)[clear], rtol=1e-3, atol=1e-4)


def test_learning_rate_is_halved_from_the_fourth_epoch_on():
    paper = TrainingConfig(epochs=6, learning_rate=1e-4)
    rate = learning_rate(paper, 10)
    found = [float(rate(step)) for step in (0, 29, 30, 39, 40, 50, 59)]
    np.testing.assert_allclose(found, np.array([1, 1, 0.5, 0.5, 0.25, 0.125, 0.125]) * 1e-4)
    assert total_steps(paper, 10) == 60
    assert total_steps(dataclasses.replace(paper, steps=7), 10) == 7


def test_learning_rate_rises_first():
    rate = learning_rate(TrainingConfig(learning_rate=1.0, warmup_steps=4), 100)
    np.testing.assert_allclose([float(rate(step)) for step in (0, 1, 3, 4)], [0.25, 0.5, 1, 1])


@pytest.mark.parametrize(
    ("span", "network", "leaves"),
    [
        ("flexible", "strength", ("kernel", "vector", "bias")),
        ("local_p", "position", ("kernel", "vector")),
    ],
)
def test_the_network_that_places_the_window_learns_at_its_own_rate(span, network, leaves):
    model = dataclasses.replace(CONFIG, attention=AttentionConfig("concat", span))
    params = parameters(model)
    gradient = jax.tree.map(jnp.ones_like, params)
    slow, plain = (
        optimizer.update(gradient, optimizer.init(params))[0]
        for rate in (0.25, 1.0)
        for training in [TrainingConfig(strength_rate=rate)]
        for optimizer in [make_optimizer(Config(model=model, training=training), 10)]
    )
    ratio = jax.tree.map(lambda a, b: float(np.mean(a / b)), slow, plain)
    assert ratio["decoder"]["attention"].pop(network) == dict.fromkeys(leaves, pytest.approx(0.25))
    assert all(leaf == pytest.approx(1) for leaf in jax.tree.leaves(ratio))


@pytest.mark.parametrize(
    ("field", "value"),
    [("learning_rate", 0), ("learning_rate", float("nan")), ("batch_size", 0), ("halve_from", 0)],
)
def test_impossible_settings(field, value):
    with pytest.raises(UserError, match=f"training.{field} must be"):
        TrainingConfig(**{field: value})
