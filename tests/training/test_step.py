"""One step of training: losses, weights of sentences, learning rates."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from fa_jax.attention import Adaptive, AttentionConfig
from fa_jax.attention.lesson import Gaze
from fa_jax.config import Config, TrainingConfig
from fa_jax.data.batches import Batch
from fa_jax.errors import UserError
from fa_jax.presets import SYSTEMS, preset
from fa_jax.training.objective import (
    DIAGONAL,
    count_sentences,
    objective,
    off_diagonal,
    variances,
)
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


@pytest.mark.parametrize("span", ["flexible", "local_p"])
def test_attention_that_is_not_aligned_is_learnt_without_its_span(span):
    """And with it where it is, wherever the random numbers fall."""
    config = dataclasses.replace(CONFIG, attention=AttentionConfig("concat", span))
    params, keys, pairs = parameters(config), jax.random.split(jax.random.key(0), 3), batch()

    @partial(jax.jit, static_argnums=0)
    def log_prob(config, unaligned, keys):
        options = {"sentences": jnp.float32(3), "training_keys": keys, "unaligned": unaligned}
        return objective(params, Config(model=config), pairs, **options)[1].negative_log_prob

    whole = dataclasses.replace(config, attention=AttentionConfig("concat", "global"))
    np.testing.assert_allclose(log_prob(config, 1.0, keys), log_prob(whole, 0.0, keys), rtol=1e-6)
    np.testing.assert_allclose(log_prob(config, 0.0, keys), log_prob(config, 0.0, None), rtol=1e-6)
    halves = {
        float(log_prob(config, 0.5, jax.random.split(jax.random.key(n), 3))) for n in range(9)
    }
    assert len(halves) > 2


@pytest.mark.parametrize(
    ("means", "spread", "moved", "covered"),
    [
        (range(7), 0.0, 1.0, 1.0),  # a walk
        (range(6, -1, -1), 2.0, 1.0, 2.0),  # backwards, and not sharp: seven places vary by 4
        ([3] * 7, 2.0, 0.0, 1.0),  # all places at each step
        ([5, 6] * 3 + [6], 0.0, 0.0612, 0.0612),  # sharp, and about one place
    ],
)
def test_attention_moves_through_a_sentence_and_covers_it(means, spread, moved, covered):
    """One sentence of seven steps, which look at a place or around it; an eighth is padding."""
    mean = jnp.array([*means, 50.0])[:, None]
    seen = Gaze(mean, mean**2 + spread**2)
    mask = jnp.array([1.0] * 7 + [0])[:, None]
    found = variances(seen, mask, jnp.array([7]))
    np.testing.assert_allclose(found["moved"] / found["walked"], moved, atol=1e-4)
    np.testing.assert_allclose(found["covered"] / found["walked"], covered, atol=1e-4)


def test_attention_is_led_along_the_diagonal_of_a_sentence_without_its_padding():
    """A walk costs nothing, however sharp; of another place what the formula says."""
    places = np.array([5.0, 0, 4, 1, 1e3])  # four steps, in six positions
    mask = jnp.array([1.0, 1, 1, 1, 0])[:, None]
    pair = Batch(*(jnp.array([n]) for n in ([0] * 6, 6, [0] * 5, 4, 0)))
    expected = sum(((places[t] - 5 * t / 3) / 6) ** 2 / (2 * DIAGONAL**2) for t in range(4))
    for spread in (0.0, 2.0):
        seen = jnp.array(places)[:, None]
        found = off_diagonal(Gaze(seen, seen**2 + spread), mask, pair)
        np.testing.assert_allclose(found, [expected], rtol=1e-5)
        walk = jnp.array([0, 5 / 3, 10 / 3, 5, 1e3])[:, None]
        found = off_diagonal(Gaze(walk, walk**2 + spread), mask, pair)
        np.testing.assert_allclose(found, [0.0], atol=1e-5)


@pytest.mark.parametrize("span", ["flexible", "local_p", "global"])
def test_attention_that_is_led_learns_from_the_diagonal_and_its_span_does_not(span, monkeypatch):
    config = dataclasses.replace(CONFIG, attention=AttentionConfig("concat", span))
    params, keys, pairs = parameters(config), jax.random.split(jax.random.key(0), 5), batch(5)

    def learnt(led, teacher="attention"):
        training = TrainingConfig(span_teacher=teacher)
        options = {"sentences": jnp.float32(3), "training_keys": keys, "led": led}
        whole = Config(model=config, training=training)
        found, gradient = jax.value_and_grad(lambda p: objective(p, whole, pairs, **options)[0])(
            params
        )
        score = gradient["decoder"]["attention"].pop("score")
        return found, score, gradient["decoder"]["attention"]

    cases = ((1.0,), (0.5,), (0.0,), (1.0, "loss"))
    led = [learnt(*case) for case in cases]
    monkeypatch.setattr(
        "fa_jax.training.objective.off_diagonal", lambda *_: jnp.zeros(len(pairs.ids))
    )
    alone = [learnt(*case) for case in cases]
    costs = [with_it[0] - without[0] for with_it, without in zip(led, alone, strict=True)]
    assert costs[0] > 1
    np.testing.assert_allclose(costs[1:], [costs[0] / 2, 0, 0], rtol=1e-3, atol=1e-6)
    for with_it, without in zip(led, alone, strict=True):
        jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-4), with_it[2], without[2])
    assert optax.tree.norm(optax.tree.sub(led[0][1], alone[0][1])) > 1e-3


def test_a_sentence_of_one_word_says_nothing_of_alignment():
    still = jnp.zeros((2, 1))
    found = variances(Gaze(still, still), jnp.ones((2, 1)), jnp.array([1]))
    assert found == {"moved": 0, "covered": 0, "walked": 0}


DIFFERENT = {name: s for name, s in SYSTEMS.items() if s.model or name == "flexible"}


@pytest.mark.parametrize("system", DIFFERENT)
def test_empty_rows_and_padding_change_nothing(system):
    """In any system of the three papers. Each parameter of it learns something."""
    sizes = {"encoder_size": CONFIG.decoder_size}
    config = dataclasses.replace(CONFIG, **SYSTEMS[system].model | sizes)
    params = parameters(config)

    def gradient(made):
        keys = jax.random.split(jax.random.key(0), 8)[: len(made.ids)]
        keys = None if config.dropout else keys
        options = {"config": config, "keys": keys}
        return jax.jit(jax.grad(lambda p: loss(p, made, **options)[0]))(params)

    near, far = gradient(batch()), gradient(batch(8, 20, 16))
    for path, leaf in jax.tree_util.tree_leaves_with_path(near):
        assert np.isfinite(leaf).all() and np.abs(leaf).max() > 0, path
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5), near, far)


def test_a_passage_counts_its_sentences():
    """Twice as many halve the loss of its words; the mean reward of a sentence stays."""
    params, one = parameters(), batch()
    two = one.replace(sentences=jnp.full(3, 2))
    config = Config(model=CONFIG, training=TrainingConfig(beta=0.3))
    (of_one, sums), (of_two, _) = (
        objective(params, config, some, sentences=count_sentences(some), training_keys=None)
        for some in (one, two)
    )
    np.testing.assert_allclose(of_one - of_two, sums.negative_log_prob / 3 / 2, rtol=1e-5)


def test_learning_in_windows_is_learning_at_their_threshold(monkeypatch):
    monkeypatch.setattr("fa_jax.training.objective.NEAR", 0)
    params, of = parameters(), []
    for settings in ({"threshold": 0.5}, {"in_windows": 0.5}):
        training = TrainingConfig(**settings, span_teacher="loss")
        config = Config(model=CONFIG, training=training)
        options = {"sentences": jnp.float32(3), "training_keys": None}
        gradient = jax.jit(jax.value_and_grad(objective, has_aux=True), static_argnums=1)
        of.append(gradient(params, config, batch(), **options))
    ((loss_a, _), gradients), ((loss_b, _), in_windows) = of
    np.testing.assert_allclose(loss_b, loss_a, rtol=1e-5)
    jax.tree.map(partial(np.testing.assert_allclose, rtol=2e-3, atol=1e-5), in_windows, gradients)


@pytest.mark.parametrize("window", [0.0, 0.4])
def test_windows_are_counted_where_they_are_ordered(window):
    training = TrainingConfig(in_windows=8.0, threshold=0.5, window=window)
    config = Config(model=CONFIG, training=training)
    options = {"sentences": jnp.float32(3), "training_keys": None}
    _, sums = jax.jit(objective, static_argnums=1)(parameters(), config, batch(), **options)
    positions = LENGTHS.prod(1).sum() if window else 0
    assert sums.positions == positions and 0 <= sums.scored <= positions


def test_rematerialized_gradients_are_the_same():
    params, pairs = parameters(), batch()
    again = dataclasses.replace(CONFIG, rematerialize=True)
    plain = jax.jit(jax.grad(lambda p: loss(p, pairs)[0]))(params)
    saved = jax.jit(jax.grad(lambda p: loss(p, pairs, config=again)[0]))(params)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), plain, saved)


def test_a_step_on_eight_devices_is_the_step_of_the_equations():
    training = TrainingConfig(
        batch_size=8, learning_rate=0.1, clip_norm=0.5, span_teacher="loss", span_rate=1.0
    )
    config = Config(model=CONFIG, training=training)
    optimizer = make_optimizer(config)
    state = init_state(config, optimizer, 10, 8)
    pairs = batch(8)
    gradient = jax.jit(jax.grad(lambda p: loss(p, pairs, beta=0)[0]))(state.params)
    plain = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(0.1))
    updates, _ = plain.update(gradient, plain.init(state.params))
    expected = optax.apply_updates(state.params, updates)

    stepped, sums = make_train_step(config, optimizer)(
        replicate(state), shard(jax.tree.map(np.asarray, pairs)), training.learning_rate
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


@pytest.mark.parametrize("window", [0.1, 0.9])
def test_the_price_of_a_window_moves_towards_its_order(window):
    """A step whose windows are wider than ordered makes them dearer, else cheaper."""
    training = TrainingConfig(batch_size=8, window=window, threshold=0.005)
    config = Config(model=CONFIG, training=training)
    optimizer = make_optimizer(config)
    state = init_state(config, optimizer, 10, 8)
    stepped, sums = make_train_step(config, optimizer)(
        replicate(state), shard(jax.tree.map(np.asarray, batch(8))), 0.1
    )
    sums = unreplicate(sums)
    share = sums.scored / sums.positions
    assert 0.1 < share < 0.9
    assert unreplicate(stepped).price.nats == pytest.approx((share / window) ** 0.02, rel=1e-5)


def test_a_span_pays_the_price_of_its_width():
    """One more nat for ln width = ln σ − ln g / 2; at the price of 1 nothing is added."""
    params, keys = parameters(), jax.random.split(jax.random.key(0), 3)
    config = Config(model=CONFIG, training=TrainingConfig(window=0.5))
    fit, dear = (
        objective(
            params,
            config,
            batch(),
            sentences=jnp.float32(3),
            training_keys=keys,
            price=price,
        )[0]
        for price in (1.0, 2.0)
    )
    _, attended = forced(params, CONFIG, 11, 9)
    widths = np.log(1.5) - np.log(attended.strength) / 2
    expected = np.mean([widths[: len(t), row].mean() for row, t in enumerate(TARGETS)])
    np.testing.assert_allclose(dear - fit, expected, rtol=1e-4)


def test_the_papers_learning_rate_is_halved_from_the_fourth_epoch_on():
    paper = preset("paper", "en-ja").training
    assert total_steps(paper, 10) == 60
    found = [learning_rate(paper, 60, step) for step in (0, 29, 30, 39, 40, 50, 59)]
    np.testing.assert_allclose(found, np.array([1, 1, 0.5, 0.5, 0.25, 0.125, 0.125]) * 1e-4)


def test_halvings_by_patience_come_on_top():
    training = TrainingConfig(learning_rate=1.0, halve_from=0.5, halve_every=0.25)
    found = [learning_rate(training, 8, step, halvings=2) for step in (0, 3, 4, 5, 6, 7)]
    np.testing.assert_allclose(found, np.array([1, 1, 0.5, 0.5, 0.25, 0.25]) / 4)


def test_a_run_takes_no_more_steps_than_either_bound_allows():
    assert total_steps(TrainingConfig(epochs=2, steps=7), 10) == 7
    assert total_steps(TrainingConfig(epochs=np.inf, steps=7), 10) == 7
    with pytest.raises(UserError, match=r"set training\.steps"):
        TrainingConfig(epochs=np.inf)
    assert total_steps(TrainingConfig(epochs=2, steps=70), 10) == 20
    assert total_steps(TrainingConfig(epochs=0.01), 10) == 1


def test_learning_rate_rises_first():
    training = TrainingConfig(learning_rate=1.0, warmup_steps=4)
    found = [learning_rate(training, 100, step) for step in (0, 1, 3, 4)]
    np.testing.assert_allclose(found, [0.25, 0.5, 1, 1])


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
        for training in [TrainingConfig(span_rate=rate)]
        for optimizer in [make_optimizer(Config(model=model, training=training))]
    )
    ratio = jax.tree.map(lambda a, b: float(np.mean(a / b)), slow, plain)
    assert ratio["decoder"]["attention"].pop(network) == dict.fromkeys(leaves, pytest.approx(0.25))
    assert all(leaf == pytest.approx(1) for leaf in jax.tree.leaves(ratio))


@pytest.mark.parametrize(
    ("field", "value"),
    [("learning_rate", 0), ("learning_rate", float("nan")), ("batch_size", 0), ("window", 1.1)],
)
def test_impossible_settings(field, value):
    with pytest.raises(UserError, match=f"training.{field} must be"):
        TrainingConfig(**{field: value})
