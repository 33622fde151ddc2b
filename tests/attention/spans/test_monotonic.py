"""Monotonic chunkwise attention in training: expectations against enumeration."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax
from tests.attention.reference import SCORES, stop_probability
from tests.attention.test_attend import LENGTH, case, configured


def expected(params, config, query, head, annotations, length):
    """Weights: for each place where the head may be, and each where it may stop, its chunk's."""
    scores = [SCORES["concat"](params["score"], query, h, None, None, None) for h in annotations]
    stop = [stop_probability(params, query, h) for h in annotations]
    weights, moved = np.zeros(len(annotations)), np.zeros(len(annotations))
    for begin in range(length):
        passed = head[begin]
        for place in range(begin, length):
            certain = place == length - 1
            here = passed * (1 if certain else stop[place])
            passed *= 1 - stop[place]
            chunk = range(max(0, place - config.span.chunk + 1), place + 1)
            exponentials = np.exp([scores[s] for s in chunk])
            for s, e in zip(chunk, exponentials, strict=True):
                weights[s] += here * e / exponentials.sum()
            moved[place] += here
    return weights, moved


@pytest.fixture
def inputs():
    config = configured("concat", "monotonic_chunkwise", noise=1e-9)
    params, arrays, lengths, _, _ = case(config)
    heads = np.random.default_rng(2).uniform(size=(len(lengths), LENGTH))
    heads *= np.arange(LENGTH) < lengths[:, None]
    heads /= np.maximum(heads.sum(1, keepdims=True), 1e-9)
    return config, params, arrays, lengths, heads


@partial(jax.jit, static_argnames=("config", "implementation", "generator"))
def step(
    config, params, arrays, lengths, heads, seed=0, implementation="dense", generator="threefry2x32"
):
    params, arrays = jax.tree.map(jnp.float32, (params, arrays))
    memory = fa_jax.prepare_memory(params, arrays["annotations"], jnp.asarray(lengths), config)
    keys = jax.random.split(jax.random.key(seed, impl=generator), len(lengths))
    state = fa_jax.initial_attention_state(memory, config, keys)
    state = state.replace(span=state.span.replace(place=jnp.float32(heads)))
    query, feedback = arrays["query"], arrays["feedback"]
    return fa_jax.attend(
        params, config, query, feedback, state, memory, implementation=implementation
    )


@pytest.mark.parametrize("implementation", ["dense", "windowed"])
def test_weights_are_expectations_over_where_the_head_stops(inputs, implementation):
    config, params, arrays, lengths, heads = inputs
    out = step(*inputs, implementation=implementation)
    for row, length in enumerate(lengths):
        query, annotations = arrays["query"][row], arrays["annotations"][row]
        weights, moved = expected(params, config, query, heads[row], annotations, length)
        np.testing.assert_allclose(out.weights[row], weights, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(out.state.span.place[row], moved, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(out.weights.sum(1), lengths > 0, rtol=1e-5)


def test_a_certain_head_is_the_hard_one(inputs):
    """With energies far from 0 the expectation is what decoding does."""
    config, params, arrays, lengths, _ = inputs
    params["stop"] |= {"gain": params["stop"]["gain"] * 1e4, "offset": np.float64(0)}
    heads = np.eye(LENGTH)[np.maximum(lengths // 2, 1) - 1]
    soft = step(config, params, arrays, lengths, heads)
    params, arrays = jax.tree.map(jnp.float32, (params, arrays))
    memory = fa_jax.prepare_memory(params, arrays["annotations"], jnp.asarray(lengths), config)
    state = fa_jax.initial_attention_state(memory, config)
    state = state.replace(span=state.span.replace(place=jnp.float32(heads)))
    query, feedback = arrays["query"], arrays["feedback"]
    attend = jax.jit(partial(fa_jax.attend, params, config))
    hard = attend(query, feedback, state, memory)
    np.testing.assert_allclose(soft.weights, hard.weights, rtol=1e-3, atol=1e-4)
    assert hard.window.max() <= config.span.chunk


def test_noise_depends_on_a_sentences_key_and_step_alone(inputs):
    config = configured("concat", "monotonic_chunkwise", noise=1.0)
    first, again, other = (step(config, *inputs[1:], seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.weights, again.weights)
    assert not np.allclose(first.weights, other.weights)


def test_keys_may_be_of_any_generator(inputs):
    config, *rest = inputs
    found = jax.eval_shape(partial(step, config, generator="rbg"), *rest)
    assert found.weights.shape == (len(rest[2]), LENGTH)


def test_gradients_of_expectations_are_finite(inputs):
    config, params, arrays, lengths, heads = inputs

    def mixed(params):
        return (step(config, params, arrays, lengths, heads).context ** 2).sum()

    gradient = jax.jit(jax.grad(mixed))(jax.tree.map(jnp.float32, params))
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))
    assert np.abs(gradient["stop"]["query_kernel"]).max() > 0
