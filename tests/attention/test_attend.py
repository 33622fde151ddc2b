"""Every score under every span, dense and windowed, against a float64 reference."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax
from tests.attention.reference import attend_by_name

SIZES = {"query_size": 6, "memory_size": 6, "feedback_size": 4, "attention_size": 5}
LENGTH, SENTENCES = 19, 6
THRESHOLDS = (0.01, 0.6, 1.2, np.inf)
PAIRS = [(score, span) for score in fa_jax.SCORES for span in fa_jax.SPANS]
every_pair = pytest.mark.parametrize(("score", "span"), PAIRS)


def case(config, seed=0):
    """Parameters and a batch with ragged lengths, 0 and 1 among them, and focuses all over."""
    random = np.random.default_rng(seed)
    params = fa_jax.init_attention(jax.random.key(seed), config, **SIZES)
    params = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64) * 2, params)
    if "strength" in params:
        params["strength"]["bias"] = np.float64(0.3)
    lengths = random.integers(1, LENGTH + 1, SENTENCES)
    lengths[:3] = 0, 1, LENGTH
    arrays = {
        "query": random.normal(size=(SENTENCES, SIZES["query_size"])),
        "feedback": random.normal(size=(SENTENCES, SIZES["feedback_size"])),
        "focus": random.uniform(-3, LENGTH + 5, SENTENCES),
        "annotations": random.normal(size=(SENTENCES, LENGTH, SIZES["memory_size"])),
    }
    steps = random.integers(0, LENGTH + 5, SENTENCES)
    return params, arrays, lengths, steps


def run(params, config, arrays, lengths, steps, dtype=jnp.float32, **options):
    params, arrays = jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype), (params, arrays))
    memory = fa_jax.prepare_memory(params, arrays["annotations"], jnp.asarray(lengths), config)
    focus = arrays["focus"].astype(jnp.float32)
    state = fa_jax.AttentionState(focus, jnp.asarray(steps))
    query, feedback = arrays["query"], arrays["feedback"]
    output = fa_jax.attend(params, config, query, feedback, state, memory, **options)
    return output.context, output.weights, output.state.focus, output.strength, output.window


def reference(params, config, arrays, lengths, steps, threshold):
    order = ("query", "feedback", "focus")
    columns = [arrays[name] for name in order] + [steps, arrays["annotations"], lengths]
    rows = [attend_by_name(params, config, *row, threshold) for row in zip(*columns, strict=True)]
    return [np.stack(column) for column in zip(*rows, strict=True)]


@every_pair
def test_agrees_with_the_equations(score, span):
    config = fa_jax.AttentionConfig(score, span, half_width=2, positions=LENGTH)
    inputs = case(config)
    for implementation in ("dense", "windowed"):
        attend = jax.jit(partial(run, config=config, implementation=implementation))
        for threshold in THRESHOLDS:
            params, *rest = inputs
            names = ("arrays", "lengths", "steps")
            found = attend(
                params, **dict(zip(names, rest, strict=True)), threshold=jnp.float32(threshold)
            )
            wanted = reference(params, config, *rest, threshold)
            for a, b in zip(found, wanted, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@every_pair
def test_gradients_agree_with_finite_differences_of_the_reference(score, span):
    config = fa_jax.AttentionConfig(score, span, half_width=2, positions=LENGTH)
    params, arrays, lengths, steps = case(config, seed=1)
    mix = np.random.default_rng(9)
    mixers = [
        mix.normal(size=np.shape(x))
        for x in reference(params, config, arrays, lengths, steps, 1.2)[:4]
    ]

    def scalar(outputs):
        return sum((x * m).sum() for x, m in zip(outputs, mixers, strict=False))

    leaves, tree = jax.tree.flatten((params, arrays))
    directions = [mix.normal(size=np.shape(leaf)) for leaf in leaves]
    ends = []
    for step in (1e-6, -1e-6):
        moved = tree.unflatten([x + step * d for x, d in zip(leaves, directions, strict=True)])
        ends.append(scalar(reference(moved[0], config, moved[1], lengths, steps, 1.2)))
    for implementation in ("dense", "windowed"):

        def of_function(inputs, implementation=implementation):
            options = {"threshold": 1.2, "implementation": implementation}
            return scalar(run(inputs[0], config, inputs[1], lengths, steps, **options))

        gradient = jax.tree.leaves(
            jax.jit(jax.grad(of_function))(jax.tree.map(jnp.float32, (params, arrays)))
        )
        found = sum((np.asarray(g) * d).sum() for g, d in zip(gradient, directions, strict=True))
        np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-6, rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("score", fa_jax.SCORES)
def test_half_precision_stays_near(score):
    config = fa_jax.AttentionConfig(score, "flexible", positions=LENGTH)
    params, *rest = case(config)
    params, arrays = jax.tree.map(
        lambda leaf: np.asarray(jnp.asarray(leaf, jnp.bfloat16), np.float64), (params, rest[0])
    )
    found = run(params, config, arrays, *rest[1:], dtype=jnp.bfloat16)
    wanted = reference(params, config, arrays, *rest[1:], np.inf)
    np.testing.assert_allclose(found[1], wanted[1], atol=0.1)


class Nearness(fa_jax.Score):
    """A score of one's own: closeness in the first dimension."""

    def evaluate(self, params, query, keys):
        return -jnp.abs(query[:, :, None, 0] - keys[:, None, :, 0])


class FirstHalf(fa_jax.Span):
    """A span of one's own."""

    def narrows(self, threshold):
        return True

    def reach(self, params, projected, state, lengths, positions, threshold):
        window = (positions < (lengths[:, None, None] + 1) // 2) & (state.focus[..., None] > -9)
        return fa_jax.Reach(window, 0.0, 1.0, jnp.zeros_like(state.focus))


def test_a_score_and_a_span_of_ones_own_work_windowed():
    config = fa_jax.AttentionConfig(Nearness(), FirstHalf())
    inputs = case(config)
    params, arrays, lengths, _ = inputs
    dense, windowed = (
        run(params, config, *inputs[1:], implementation=i) for i in ("dense", "windowed")
    )
    for a, b in zip(dense, windowed, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(windowed[4], (lengths + 1) // 2)
    row, half = 2, (LENGTH + 1) // 2
    scores = -np.abs(arrays["query"][row, 0] - arrays["annotations"][row, :half, 0])
    wanted = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(windowed[1][row, :half], wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fa_jax.AttentionConfig("dott"), "unknown score 'dott': choose dot, general"),
        (lambda: fa_jax.AttentionConfig(span="wide"), "unknown span 'wide': choose global"),
        (lambda: fa_jax.AttentionConfig(half_width=0), "half_width must be greater than 0"),
        (
            lambda: case_of_sizes("dot", memory_size=7),
            "query_size 6 and memory_size 7: make them equal",
        ),
        (
            lambda: run_of(fa_jax.AttentionConfig("location", positions=9)),
            "19 positions, but the location score was made for at most 9",
        ),
        (
            lambda: run_of(fa_jax.AttentionConfig(), feedback=np.zeros((SENTENCES, 3))),
            r"feedback must have shape \[6, 4\], got \[6, 3\]",
        ),
        (
            lambda: run_of(fa_jax.AttentionConfig("dot", "global"), query=np.zeros((SENTENCES, 3))),
            "query must have shape",
        ),
    ],
)
def test_what_cannot_be_says_what_can(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def case_of_sizes(score, **sizes):
    config = fa_jax.AttentionConfig(score)
    return fa_jax.init_attention(jax.random.key(0), config, **SIZES | sizes)


def run_of(config, **arrays):
    params, mine, lengths, steps = case(config)
    return run(params, config, mine | arrays, lengths, steps)


def test_config_can_be_static():
    config = fa_jax.AttentionConfig("general", "local_p")
    assert hash(config) == hash(dataclasses.replace(config))
