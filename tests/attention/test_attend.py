"""Every score under every span, dense and windowed, against a float64 reference."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax
from fa_jax.attention import window_chunks
from tests.attention.reference import attend_by_name

SIZES = {"query_size": 6, "memory_size": 6, "feedback_size": 4, "attention_size": 5}
LENGTH, SENTENCES = 19, 6
SETTINGS = [(0.01, 1.5), (0.6, 0.5), (1.2, 1.5), (1.2, 10.0), (np.inf, 0.5), (np.inf, 10.0)]
"""τ and σ; the first and the last alone for spans that have neither."""
RESULTS = ("context", "weights", "focus", "strength", "cost", "remembered", "head", "window")
SMALL = {
    "half_width": 2,
    "positions": LENGTH,
    "chunk": 3,
    "dynamic_size": 3,
    "ramp": 2.0,
    "price": 0.7,
}
SPANS = [span for span in fa_jax.SPANS if span != "none"]
PAIRS = [(score, span) for score in fa_jax.SCORES for span in SPANS] + [("concat", "none")]
"""Without attention no score has any part."""
every_pair = pytest.mark.parametrize(("score", "span"), PAIRS)


def small(kind, **settings):
    """A value with the settings that it has of these."""
    names = {field.name for field in dataclasses.fields(kind)}
    return kind(**{name: x for name, x in (SMALL | settings).items() if name in names})


def configured(score, span, **settings):
    parts = fa_jax.SCORES[score], fa_jax.SPANS[span]
    return fa_jax.AttentionConfig(*(small(kind, **settings) for kind in parts))


def at_sigma(config, sigma):
    """The same with another width of the penalty, if it has one."""
    if not isinstance(config.span, fa_jax.Flexible):
        return config
    return dataclasses.replace(config, span=fa_jax.Flexible(sigma))


def case(config, seed=0):
    """Parameters and a batch with ragged lengths, 0 and 1 among them, and focuses all over."""
    random = np.random.default_rng(seed)
    params = fa_jax.init_attention(jax.random.key(seed), config, **SIZES)
    params = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64) * 2, params)
    for name, bias in {"strength": 0.3, "extent": -1.0}.items():
        if name in params:
            params[name]["bias"] = np.float64(bias)
    if "stop" in params:
        params["stop"] |= {"offset": np.float64(-0.2), "gain": np.float64(2.0)}
    lengths = random.integers(1, LENGTH + 1, SENTENCES)
    lengths[:3] = 0, 1, LENGTH
    arrays = {
        "query": random.normal(size=(SENTENCES, SIZES["query_size"])),
        "feedback": random.normal(size=(SENTENCES, SIZES["feedback_size"])),
        "focus": random.uniform(-3, LENGTH + 5, SENTENCES),
        "remembered": random.normal(size=(SENTENCES, LENGTH, SMALL["dynamic_size"])),
        "annotations": random.normal(size=(SENTENCES, LENGTH, SIZES["memory_size"])),
    }
    steps = random.integers(0, LENGTH + 5, SENTENCES)
    heads = np.eye(LENGTH)[random.integers(0, np.maximum(lengths, 1))]
    return params, arrays, lengths, steps, heads


def run(params, config, arrays, lengths, steps, heads, dtype=jnp.float32, **options):
    """One step; results in the order of RESULTS."""
    remembered = jnp.asarray(arrays["remembered"], jnp.float32)
    heads = jnp.asarray(heads, jnp.float32)
    focus = jnp.asarray(arrays["focus"], jnp.float32)
    params, arrays = jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype), (params, arrays))
    memory = fa_jax.prepare_memory(params, arrays["annotations"], jnp.asarray(lengths), config)
    state = fa_jax.initial_attention_state(memory, config)
    of_score, of_span = jax.tree.leaves(state.score), jax.tree.leaves(state.span)
    state = state.replace(
        focus=focus,
        step=jnp.asarray(steps),
        score=remembered if of_score else (),
        span=state.span.replace(place=heads) if of_span else (),
    )
    query, feedback = arrays["query"], arrays["feedback"]
    out = fa_jax.attend(params, config, query, feedback, state, memory, **options)
    after = out.state.score if of_score else remembered
    head = out.state.span.place if of_span else heads
    return (
        *(out.context, out.weights, out.state.focus, out.strength, out.cost),
        *(after, head, out.window),
    )


def compiled(params, config, *rest, **options):
    """`run` as one program: operation by operation it is a hundred."""
    return jax.jit(partial(run, params, config, **options))(*rest)


def reference(params, config, arrays, lengths, steps, heads, threshold):
    inputs = [arrays[name] for name in ("query", "feedback", "focus")]
    columns = [*inputs, steps, arrays["remembered"], heads, arrays["annotations"], lengths]
    rows = [attend_by_name(params, config, *row, threshold) for row in zip(*columns, strict=True)]
    return [np.stack(column) for column in zip(*rows, strict=True)]


def mixed(results, mixers):
    """One number out of all results that have gradients."""
    return sum((x * m).sum() for x, m in zip(results, mixers, strict=False))


def differentiated(score, span, implementation):
    """Whether its gradient is compared. A windowed step takes the dense one's, whatever the pair:
    that is seen of each score and of each span once."""
    once = score == "concat" or span == "flexible"
    return implementation == "dense" or (once and span != "none")


@every_pair
def test_agrees_with_the_equations(score, span, agreement):
    """Values to 1e-5; gradients with finite differences of the reference."""
    config = configured(score, span)
    params, arrays, lengths, steps, heads = case(config)
    mix = np.random.default_rng(9)
    shapes = [np.shape(x) for x in reference(params, config, arrays, lengths, steps, heads, 1.2)]
    mixers = [mix.normal(size=shape) for shape in shapes[:-2]]
    leaves, tree = jax.tree.flatten((params, arrays))
    directions = [mix.normal(size=np.shape(leaf)) for leaf in leaves]
    learning = {i: differentiated(score, span, i) for i in ("dense", "windowed")}

    @partial(jax.jit, static_argnames="implementation")
    def results_and_gradient(inputs, threshold, sigma, implementation):
        def mixed_results(inputs):
            params, arrays = inputs
            given = params, at_sigma(config, sigma), arrays, lengths, steps, heads
            results = run(*given, threshold=threshold, implementation=implementation)
            return mixed(results, mixers), results

        if learning[implementation]:
            return jax.grad(mixed_results, has_aux=True)(inputs)
        return None, mixed_results(inputs)[1]

    def slope(of, threshold, step=1e-6):
        ends = []
        for far in (step, -step):
            moved = tree.unflatten([x + far * d for x, d in zip(leaves, directions, strict=True)])
            found = reference(moved[0], of, moved[1], lengths, steps, heads, threshold)
            ends.append(mixed(found, mixers))
        return (ends[0] - ends[1]) / (2 * step)

    values, slopes = {i: [] for i in learning}, {i: [] for i in learning}
    for threshold, sigma in SETTINGS if span == "flexible" else SETTINGS[::5]:
        of = at_sigma(config, sigma)
        wanted = reference(params, of, arrays, lengths, steps, heads, threshold)
        wanted_slope = slope(of, threshold) if any(learning.values()) else None
        for implementation, learns in learning.items():
            settings = jnp.float32(threshold), jnp.float32(sigma), implementation
            inputs = jax.tree.map(jnp.float32, (params, arrays))
            gradient, found = results_and_gradient(inputs, *settings)
            for name, a, b in zip(RESULTS, found, wanted, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5, err_msg=name)
                values[implementation].append(np.abs(a - b).max() / max(1, np.abs(b).max()))
            if learns:
                both = zip(jax.tree.leaves(gradient), directions, strict=True)
                found_slope = sum((np.asarray(g) * d).sum() for g, d in both)
                np.testing.assert_allclose(found_slope, wanted_slope, rtol=2e-3, atol=2e-3)
                error = abs(found_slope - wanted_slope) / max(1, abs(wanted_slope))
                slopes[implementation].append(error)
    for implementation in learning:
        largest = max(values[implementation]), max(slopes[implementation], default=None)
        agreement(score, span, implementation, "float32", *largest)


@every_pair
def test_half_precision_stays_near(score, span, agreement):
    config = configured(score, span)
    params, arrays, *rest = case(config)
    params, arrays = jax.tree.map(
        lambda leaf: np.asarray(jnp.asarray(leaf, jnp.bfloat16), np.float64), (params, arrays)
    )
    for implementation in ("dense", "windowed"):
        options = {"dtype": jnp.bfloat16, "implementation": implementation}
        found = compiled(params, config, arrays, *rest, **options)
        wanted = reference(params, config, arrays, *rest, np.inf)
        assert (found[0].dtype, found[2].dtype) == (jnp.bfloat16, jnp.float32)
        error = 0.0
        for name, a, b in zip(RESULTS[:2], found, wanted, strict=False):
            scale = max(1, np.abs(b).max())
            np.testing.assert_allclose(a, b, atol=0.05 * scale, err_msg=name)
            error = max(error, np.abs(np.asarray(a, np.float64) - b).max() / scale)
        agreement(score, span, implementation, "bfloat16", error, None)


def test_without_details_the_rest_is_the_same():
    config = configured("fine_grained", "flexible")
    params, arrays, lengths, *_ = case(config)
    params, arrays = jax.tree.map(jnp.float32, (params, arrays))
    memory = fa_jax.prepare_memory(params, arrays["annotations"], jnp.asarray(lengths), config)
    state = fa_jax.initial_attention_state(memory, config)
    inputs = arrays["query"], arrays["feedback"], state, memory
    for implementation in ("dense", "windowed"):
        attend = partial(fa_jax.attend, params, config, threshold=1.2)
        attend = partial(attend, implementation=implementation)
        full, bare = (jax.jit(partial(attend, details=kept))(*inputs) for kept in (True, False))
        assert (bare.weights, bare.by_dimension, bare.scored) == (None, None, None)
        np.testing.assert_allclose(full.by_dimension.mean(-1), full.weights, rtol=1e-6)
        np.testing.assert_array_equal(full.scored.sum(1), full.window)
        for a, b in zip(
            (full.context, full.state.focus, full.window),
            (bare.context, bare.state.focus, bare.window),
            strict=True,
        ):
            np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("fewest", [1, 1000])
def test_chunks_of_any_size_agree(fewest, monkeypatch):
    config = configured("recurrent", "flexible")
    inputs = case(config)
    given = inputs[0], config, *inputs[1:]
    dense = compiled(*given, implementation="dense", threshold=1.2)
    monkeypatch.setattr(window_chunks, "FEWEST_BLOCKS", fewest)
    found = compiled(*given, implementation="windowed", threshold=1.2)
    for a, b in zip(dense, found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


class Nearness(fa_jax.Score):
    """A score of one's own: closeness in the first dimension."""

    def evaluate(self, params, query, keys, state):
        return -jnp.abs(query[:, :, None, 0] - keys[:, None, :, 0])


class FirstHalf(fa_jax.Span):
    """A span of one's own."""

    def reach(self, step):
        first = jnp.zeros_like(step.state.step)
        return fa_jax.Reach(first, first + (step.memory.lengths[:, None] + 1) // 2 - 1)


def test_a_score_and_a_span_of_ones_own_work_windowed():
    config = fa_jax.AttentionConfig(Nearness(), FirstHalf())
    inputs = case(config)
    params, arrays, lengths, *_ = inputs
    dense, within = (
        compiled(params, config, *inputs[1:], implementation=i) for i in ("dense", "windowed")
    )
    for a, b in zip(dense, within, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(within[-1], (lengths + 1) // 2)
    row, half = 2, (LENGTH + 1) // 2
    scores = -np.abs(arrays["query"][row, 0] - arrays["annotations"][row, :half, 0])
    wanted = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(within[1][row, :half], wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fa_jax.AttentionConfig("dott"), "unknown score 'dott': choose dot, general"),
        (lambda: fa_jax.AttentionConfig(span="wide"), "unknown span 'wide': choose global"),
        (lambda: fa_jax.LocalP(half_width=0), "half_width must be greater than 0"),
        (lambda: fa_jax.Flexible(sigma=-1.0), "sigma must be greater than 0"),
        (lambda: fa_jax.Tensor(slices=0), "slices must be greater than 0"),
        (
            lambda: case_of_sizes("dot", memory_size=7),
            "query_size 6 and memory_size 7: make them equal",
        ),
        (
            lambda: run_of(fa_jax.AttentionConfig(fa_jax.Location(positions=9))),
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


@pytest.mark.parametrize("number", [float, jnp.float32])
def test_an_infinite_threshold_is_one_whatever_holds_it(number):
    span = fa_jax.Flexible()
    assert span.narrows(number(1.2)) and not span.narrows(number(np.inf))
    assert jax.jit(span.narrows)(number(np.inf))  # its value is not known there


@pytest.mark.parametrize("order", [lambda f: jax.jit(jax.vmap(f)), lambda f: jax.vmap(jax.jit(f))])
def test_under_vmap_windows_agree_with_dense(order, monkeypatch):
    """Lanes need different numbers of chunks."""
    monkeypatch.setattr(window_chunks, "FEWEST_BLOCKS", 1)
    config = fa_jax.AttentionConfig()
    params = fa_jax.init_attention(jax.random.key(0), config, **SIZES)
    lanes, length = 3, 32
    random = np.random.default_rng(0)
    annotations = random.normal(size=(lanes, 2, length, SIZES["memory_size"])).astype(np.float32)
    query = random.normal(size=(lanes, 2, SIZES["query_size"])).astype(np.float32)
    feedback = random.normal(size=(lanes, 2, SIZES["feedback_size"])).astype(np.float32)
    focus = random.uniform(0, length, (lanes, 2)).astype(np.float32)

    def step(annotations, query, feedback, focus, implementation="windowed"):
        memory = fa_jax.prepare_memory(params, annotations, jnp.full(2, length))
        return fa_jax.flexible_attention(
            params, query, feedback, focus, memory, threshold=0.1, implementation=implementation
        )

    inputs = annotations, query, feedback, focus
    dense = jax.jit(jax.vmap(partial(step, implementation="dense")))(*inputs)
    together = order(step)(*inputs)
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), together, dense
    )

    slope = jax.grad(lambda q: order(step)(annotations, q, feedback, focus).context.sum())
    slope = jax.jit(slope)(query)
    assert np.isfinite(slope).all() and np.abs(slope).max() > 0


def case_of_sizes(score, **sizes):
    config = fa_jax.AttentionConfig(score)
    return fa_jax.init_attention(jax.random.key(0), config, **SIZES | sizes)


def run_of(config, **arrays):
    params, mine, *rest = case(config)
    return run(params, config, mine | arrays, *rest)
