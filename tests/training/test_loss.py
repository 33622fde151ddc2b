"""Eq. 9 on real sentences, whatever stands beside them."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.attention import Adaptive, AttentionConfig
from fa_jax.config import Config, TrainingConfig
from fa_jax.data.batches import Batch
from fa_jax.presets import SYSTEMS
from fa_jax.training.loss import translation_loss
from tests.model.reference import force
from tests.model.test_encoder_decoder import (
    CONFIG,
    SOURCES,
    TARGETS,
    forced,
    padded,
    parameters,
    systems_of_all_parts,
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
        sentences=np.pad(np.ones(3, np.int32), (0, empty)),
    )
    return jax.tree.map(jnp.asarray, made)


def loss(params, batch, beta=0.1, threshold=np.inf, config=CONFIG, keys=None, in_windows=False):
    return translation_loss(
        params,
        Config(model=config, training=TrainingConfig(in_windows=in_windows)),
        batch,
        sentences=jnp.float32(3),
        beta=beta,
        threshold=threshold,
        training_keys=keys,
    )


loss_at = jax.jit(loss, static_argnums=3)


@pytest.mark.parametrize(("beta", "threshold"), [(0.0, np.inf), (0.1, np.inf), (0.1, 0.05)])
def test_the_loss_is_equation_9_over_the_windows(beta, threshold):
    params = parameters()
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    expected = 0
    for source, target in zip(SOURCES, TARGETS, strict=True):
        log_probs, strength, *_ = force(doubles, source, target, 1.5, threshold)
        expected += (-log_probs.sum() - beta * strength.mean()) / 3
    found, sums = loss_at(params, batch(), beta, threshold)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (int(sums.words), int(sums.sentences)) == (LENGTHS[:, 1].sum(), 3)


def test_a_sentence_pays_what_its_span_costs():
    """The adaptive span's extent, twenty times as dear."""
    cheap, dear = (
        dataclasses.replace(CONFIG, attention=AttentionConfig("concat", Adaptive(price=price)))
        for price in (0.01, 0.21)
    )
    params = parameters(cheap)
    _, attended = forced(params, cheap, 11, 9)
    extent = [attended.cost[: len(t), row].mean() / 0.01 for row, t in enumerate(TARGETS)]
    losses = [
        jax.jit(partial(loss, beta=0, config=config))(params, batch())[0]
        for config in (cheap, dear)
    ]
    np.testing.assert_allclose(losses[1] - losses[0], 0.2 * sum(extent) / 3, rtol=1e-4)


BESIDE_ATTENTION = {repr(SYSTEMS[name].model): name for name in systems_of_all_parts()}
"""A system of each network. Its attention's gradients at any lengths are in test_attend."""


@pytest.mark.parametrize("system", systems_of_all_parts())
def test_each_parameter_learns_and_empty_rows_and_padding_change_nothing(system):
    """The latter in one of each network."""
    config = SYSTEMS[system].of(dataclasses.replace(CONFIG, encoder_size=CONFIG.decoder_size))
    params = parameters(config)

    def gradient(made):
        keys = jax.random.split(jax.random.key(0), 8)[: len(made.ids)]
        keys = None if config.dropout else keys
        options = {"config": config, "keys": keys}
        return jax.jit(jax.grad(lambda p: loss(p, made, **options)[0]))(params)

    near = gradient(batch())
    for path, leaf in jax.tree_util.tree_leaves_with_path(near):
        assert np.isfinite(leaf).all() and np.abs(leaf).max() > 0, path
    if system in BESIDE_ATTENTION.values():
        far = gradient(batch(8, 20, 16))
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5), near, far)


def test_a_passage_counts_its_sentences():
    """Twice as many halve the loss of its words; the mean reward of a sentence stays."""
    params, one = parameters(), batch()
    two = one.replace(sentences=jnp.full(3, 2))
    options = {"beta": 0.3, "threshold": np.inf, "training_keys": None}

    @jax.jit
    def counted(some):
        number = jnp.float32(some.sentences.sum())
        return translation_loss(params, Config(model=CONFIG), some, sentences=number, **options)

    (of_one, sums), (of_two, _) = map(counted, (one, two))
    np.testing.assert_allclose(of_one - of_two, sums.negative_log_prob / 3 / 2, rtol=1e-5)


def test_learning_in_windows_is_learning_at_their_threshold():
    params, of = parameters(), []
    for in_windows in (False, True):
        gradient = jax.jit(jax.value_and_grad(partial(loss, in_windows=in_windows), has_aux=True))
        of.append(gradient(params, batch(), 0.1, 0.5))
    ((loss_a, sums_a), gradients), ((loss_b, sums_b), in_windows) = of
    np.testing.assert_allclose(loss_b, loss_a, rtol=1e-5)
    assert sums_a.scored == sums_b.scored < sums_a.positions
    assert int(sums_a.positions) == LENGTHS.prod(1).sum()
    jax.tree.map(partial(np.testing.assert_allclose, rtol=2e-3, atol=1e-5), in_windows, gradients)


def test_rematerialized_gradients_are_the_same():
    params, pairs = parameters(), batch()
    again = dataclasses.replace(CONFIG, rematerialize=True)
    plain = jax.jit(jax.grad(lambda p: loss(p, pairs)[0]))(params)
    saved = jax.jit(jax.grad(lambda p: loss(p, pairs, config=again)[0]))(params)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), plain, saved)
