"""What a span is taught: against its definition in float64, and what it may change."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax
from tests.attention.reference import SCORES

SIZES = {"query_size": 4, "memory_size": 6, "feedback_size": 5, "attention_size": 8}
LENGTHS = np.array([9, 7, 1])
NOT_FREE, FREE = jnp.zeros(3, bool), jnp.ones(3, bool)


def attended(params, config, arrays, lengths=LENGTHS, **options):
    """One step in the middle of three sentences. arrays: query, feedback, focus, annotations."""
    query, feedback, focus, annotations = arrays
    memory = fa_jax.prepare_memory(params, annotations, jnp.asarray(lengths), config)
    state = fa_jax.initial_attention_state(memory, config).replace(focus=focus)
    return fa_jax.attend(params, config, query, feedback, state, memory, **options)


def case(score, span, length=9):
    config = fa_jax.AttentionConfig(score, span)
    keys = jax.random.split(jax.random.key(0), 4)
    params = fa_jax.init_attention(keys[0], config, **SIZES)
    arrays = (
        jax.random.normal(keys[1], (3, 4)),
        jax.random.normal(keys[2], (3, 5)),
        jnp.array([3.3, 5.0, 0.0]),
        jnp.pad(jax.random.normal(keys[3], (3, 9, 6)), ((0, 0), (0, length - 9), (0, 0))),
    )
    return config, params, arrays


def normal(config, params, query, feedback, focus, length):
    """Centre and width of the prior, from Eqs. 5, 6, 8 and 10."""
    if isinstance(config.span, fa_jax.Flexible):
        strength = params["strength"]
        hidden = np.tanh(np.concatenate([query, feedback]) @ strength["kernel"])
        g = 1 / (1 + np.exp(-(hidden @ strength["vector"] + strength["bias"])))
        return focus, config.span.sigma / np.sqrt(g)
    position = params["position"]
    share = 1 / (1 + np.exp(-(np.tanh(query @ position["kernel"]) @ position["vector"])))
    return length * share, config.span.half_width / 2


@pytest.mark.parametrize("span", [fa_jax.Flexible(2.0), fa_jax.LocalP(half_width=2)])
@pytest.mark.parametrize("score", ["concat", "general", "fine_grained"])
def test_it_is_the_likelihood_of_where_the_scores_alone_would_look(score, span):
    config, params, arrays = case(score, span)
    found = jax.jit(partial(attended, config=config, threshold=0.5))(
        params, arrays=arrays, free=NOT_FREE
    ).cost
    params, arrays = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), (params, arrays))
    for row, (query, feedback, focus, annotations) in enumerate(zip(*arrays, strict=True)):
        scores = np.stack(
            [
                SCORES[score](params["score"], query, h, feedback, s, None)
                for s, h in enumerate(annotations[: LENGTHS[row]])
            ]
        )
        weights = np.exp(scores) / np.exp(scores).sum(0)
        weights = weights.reshape(len(weights), -1).mean(1)
        centre, width = normal(config, params, query, feedback, focus, LENGTHS[row])
        square = sum(w * (s - centre) ** 2 for s, w in enumerate(weights))
        np.testing.assert_allclose(found[row], square / 2 / width**2 + np.log(width), rtol=1e-5)


@pytest.mark.parametrize("span", [fa_jax.Flexible(), fa_jax.LocalP(half_width=2)])
def test_the_span_learns_from_it_alone_and_nothing_else_does(span):
    config, params, arrays = case("concat", span)
    name = "strength" if isinstance(span, fa_jax.Flexible) else "position"

    def learnt(value, free):
        def total(params):
            return value(attended(params, config, arrays, free=free)).sum()

        gradient = jax.jit(jax.grad(total))(params)
        return jax.tree.map(lambda leaf: bool(np.any(leaf != 0)), gradient)

    everything = jax.tree.map(lambda leaf: True, params)
    nothing = jax.tree.map(lambda leaf: False, params)
    only_span = {**nothing, name: everything[name]}
    only_score = {**everything, name: nothing[name]}
    for free in (NOT_FREE, FREE):
        assert learnt(lambda out: out.cost, free) == only_span
        assert learnt(lambda out: out.context, free) == only_score
    assert learnt(lambda out: out.context, None) == everything
    assert learnt(lambda out: out.cost, None) == nothing


@pytest.mark.parametrize("span", [fa_jax.Flexible(), fa_jax.LocalP(half_width=2)])
def test_padding_and_the_window_change_nothing_of_it(span):
    near, far = (
        attended(params, config, arrays, free=NOT_FREE, threshold=threshold).cost
        for length, threshold in [(9, 0.1), (20, np.inf)]
        for config, params, arrays in [case("concat", span, length)]
    )
    np.testing.assert_allclose(near, far, rtol=1e-5)


@pytest.mark.parametrize("span", [fa_jax.Flexible(), fa_jax.LocalP(half_width=2)])
def test_a_sentence_that_is_free_has_global_attention_and_the_others_their_span(span):
    config, params, arrays = case("concat", span)
    free = jnp.array([True, False, True])
    found = attended(params, config, arrays, free=free, threshold=0.1)
    own = attended(params, config, arrays, threshold=0.1)
    whole = attended(params, fa_jax.AttentionConfig("concat", "global"), arrays)
    for name in ("context", "weights", "window"):
        expected = [getattr(side, name)[row] for row, side in enumerate((whole, own, whole))]
        np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found.strength, own.strength)
