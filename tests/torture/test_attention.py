"""Any score under any span, however computed, whatever shapes, settings and numbers it is given."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import fa_jax
from tests.attention.reference import attend_by_name
from tests.attention.test_attend import PAIRS, RESULTS, SIZES, SMALL, at_sigma, configured
from tests.torture.effort import tried

SHAPES = [(1, 1, 1), (3, 1, 8), (2, 2, 19), (4, 1, 33)]
"""Sentences, queries of each, and padded positions."""
LONGEST = 33
INPUTS = ("query", "feedback", "focus", "annotations", "remembered")
GRADIENTS_OF = len(("context", "weights", "focus", "strength", "cost"))


@dataclasses.dataclass(frozen=True)
class Form:
    """What decides how a step is compiled."""

    score: str
    span: str
    implementation: str | None
    shape: tuple[int, int, int]

    @property
    def config(self):
        return configured(self.score, self.span, positions=LONGEST)


forms = st.builds(
    lambda pair, *rest: Form(*pair, *rest),
    st.sampled_from(PAIRS),
    st.sampled_from(["dense", "windowed", None]),
    st.sampled_from(SHAPES),
)

saturating = st.sampled_from([-np.inf, -90.0, -4.0, 0.0, 4.0, 90.0, np.inf]) | st.floats(-20, 20)
thresholds = st.just(np.inf) | st.floats(1e-3, 50)
sigmas = st.floats(0.1, 100)
seeds = st.integers(0, 2**32 - 1)


def cases(*of):
    """Several for a form: to compile it takes a hundred times as long as to run it."""
    return st.lists(st.tuples(*of), min_size=12, max_size=12)


def numbers(form, seed, scale=1.0):
    """Parameters, and a batch with lengths from 0 to S and focuses all over, in float64."""
    random = np.random.default_rng(seed)
    sentences, queries, length = form.shape
    params = parameters(form.score, form.span)
    params = jax.tree.map(lambda x: 2 * scale * random.normal(size=x.shape), params)
    lengths = random.choice([0, 1, length, *range(length + 1)], sentences)
    rows = sentences, queries
    arrays = {
        "query": random.normal(size=(*rows, SIZES["query_size"])),
        "feedback": random.normal(size=(*rows, SIZES["feedback_size"])),
        "focus": random.uniform(-3, length + 5, rows),
        "remembered": random.normal(size=(*rows, length, SMALL["dynamic_size"])),
        "annotations": scale * random.normal(size=(sentences, length, SIZES["memory_size"])),
        "step": random.integers(0, length + 5, rows),
        "head": np.eye(length)[random.integers(0, np.maximum(lengths, 1)[:, None], rows)],
    }
    return params, arrays, lengths


@functools.cache
def parameters(score, span):
    config = configured(score, span, positions=LONGEST)
    return fa_jax.init_attention(jax.random.key(0), config, **SIZES)


def biased(params, bias):
    """The network that decides how far attention may look says nearly the same everywhere."""
    name = next((name for name in ("strength", "extent") if name in params), None)
    return params | {name: params[name] | {"bias": np.float64(bias)}} if name else params


def step(form, inputs, lengths, threshold, sigma):
    """One step; results in the order of RESULTS."""
    params, arrays = inputs
    config = at_sigma(form.config, sigma)
    memory = fa_jax.prepare_memory(params, arrays["annotations"], lengths, config)
    state = fa_jax.initial_attention_state(memory, config)
    of_score, of_span = jax.tree.leaves(state.score), jax.tree.leaves(state.span)
    state = state.replace(
        focus=arrays["focus"],
        step=arrays["step"],
        score=arrays["remembered"] if of_score else (),
        span=state.span.replace(place=arrays["head"]) if of_span else (),
    )
    out = fa_jax.attend(
        params, config, arrays["query"], arrays["feedback"], state, memory,
        threshold=threshold, implementation=form.implementation,
    )  # fmt: skip
    after = out.state.score if of_score else arrays["remembered"]
    head = out.state.span.place if of_span else arrays["head"]
    return (
        *(out.context, out.weights, out.state.focus, out.strength, out.cost),
        *(after, head, out.window),
    )


@functools.cache
def compiled(form):
    """Results, and the gradient of a sum of those that have one."""

    def total(inputs, rest, *settings):
        results = step(form, (inputs[0], inputs[1] | rest), *settings)
        return sum(jnp.sin(x.astype(jnp.float32)).sum() for x in results[:GRADIENTS_OF]), results

    @jax.jit
    def run(params, arrays, *settings):
        rest = {name: arrays[name] for name in ("step", "head", "remembered")}
        real = {name: x for name, x in arrays.items() if name not in rest}
        gradient, results = jax.grad(total, has_aux=True)((params, real), rest, *settings)
        return results, gradient

    return run


def found(form, params, arrays, lengths, threshold, sigma, dtype=np.float32):
    params = jax.tree.map(lambda x: jnp.asarray(x, dtype), params)
    kinds = {name: np.float32 for name in ("focus", "remembered", "head")} | {"step": np.int32}
    arrays = {name: jnp.asarray(x, kinds.get(name, dtype)) for name, x in arrays.items()}
    settings = np.int32(lengths), np.float32(threshold), np.float32(sigma)
    results, gradient = compiled(form)(params, arrays, *settings)
    return [np.asarray(x, np.float64) for x in results], gradient


def wanted(form, params, arrays, lengths, threshold, sigma):
    config = at_sigma(form.config, sigma)
    names = ("query", "feedback", "focus", "step", "remembered", "head")
    rows = [
        [
            attend_by_name(
                params, config, *(arrays[name][row, query] for name in names),
                arrays["annotations"][row], lengths[row], threshold,
            )
            for query in range(form.shape[1])
        ]
        for row in range(form.shape[0])
    ]  # fmt: skip
    return [np.array([[one[n] for one in row] for row in rows]) for n in range(len(RESULTS))]


def finite(gradient):
    return all(np.isfinite(np.asarray(x, np.float64)).all() for x in jax.tree.leaves(gradient))


@tried(6, shrinks=False)
@given(forms, cases(seeds, saturating, thresholds, sigmas))
def test_it_is_what_the_equations_say(form, cases):
    for seed, bias, threshold, sigma in cases:
        params, arrays, lengths = numbers(form, seed)
        params = biased(params, bias)
        settings = lengths, *(float(np.float32(x)) for x in (threshold, sigma))
        params, rounded = jax.tree.map(lambda x: np.float64(np.float32(x)), (params, arrays))
        arrays = rounded | {"step": arrays["step"]}
        expected = wanted(form, params, arrays, *settings)
        results, gradient = found(form, params, arrays, *settings)
        assert finite(gradient)
        if at_a_border(form, params, arrays, settings, expected):
            continue
        for name, a, b in zip(RESULTS, results, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4, err_msg=name)


def at_a_border(form, params, arrays, settings, expected):
    """Whether a position lies within rounding of a window's border: there no side is wrong."""
    for nearly in (1 - 1e-5, 1 + 1e-5):
        moved = jax.tree.map(lambda x, nearly=nearly: x * nearly, params)
        focus = {"focus": arrays["focus"] * nearly, "query": arrays["query"] * nearly}
        near = wanted(form, moved, arrays | focus, *settings)
        if (near[-1] != expected[-1]).any() or ((near[1] > 0) != (expected[1] > 0)).any():
            return True
    return False


@tried(6, shrinks=False)
@given(forms, st.sampled_from([jnp.bfloat16, jnp.float16]), cases(seeds, thresholds, sigmas))
def test_half_precision_stays_near_or_at_least_in_the_sentence(form, dtype, cases):
    """Windows may differ by rounding: at an infinite threshold results are compared as well."""
    for seed, threshold, sigma in cases:
        params, arrays, lengths = numbers(form, seed, 0.5)
        rounded = jax.tree.map(lambda x: np.asarray(jnp.asarray(x, dtype), np.float64), params)
        arrays |= {
            name: np.asarray(jnp.asarray(arrays[name], dtype), np.float64)
            for name in ("query", "feedback", "annotations")
        }
        results, gradient = found(form, rounded, arrays, lengths, threshold, sigma, dtype)
        assert_in_the_sentence(form, results, lengths)
        assert finite(gradient)
        if form.span in ("global", "flexible") and np.isinf(threshold):
            expected = wanted(form, rounded, arrays, lengths, threshold, sigma)
            np.testing.assert_allclose(results[1], expected[1], atol=0.05)


def assert_in_the_sentence(form, results, lengths):
    context, weights, focus, strength, cost, _, _, window = results
    lengths = lengths[:, None]
    assert np.isfinite(context).all() and np.isfinite(cost).all()
    assert (weights >= 0).all() and (weights.sum(-1) <= 1 + 1e-3).all()
    padding = np.arange(form.shape[2]) >= lengths[..., None]
    assert (weights * padding == 0).all()
    assert ((window >= np.minimum(lengths, form.span != "none")) & (window <= lengths)).all()
    assert ((strength >= 0) & (strength <= 1)).all()
    if form.span != "none":
        assert ((focus >= -1e-4) & (focus <= np.maximum(lengths - 1, 0) * (1 + 1e-3))).all()


@tried(6, shrinks=False)
@given(
    forms,
    cases(
        seeds,
        st.floats(-4, 4).map(lambda x: 10.0**x),
        saturating,
        st.just(np.inf) | st.floats(1e-30, 1e30),
        st.floats(1e-10, 1e10),
        st.floats(-1e9, 1e9),
    ),
)
def test_whatever_is_finite_stays_so(form, cases):
    for seed, scale, bias, threshold, sigma, focus in cases:
        params, arrays, lengths = numbers(form, seed, scale)
        arrays["focus"][0] = focus
        results, gradient = found(form, biased(params, bias), arrays, lengths, threshold, sigma)
        assert_in_the_sentence(form, results, lengths)
        assert finite(gradient)


@tried(6, shrinks=False)
@given(
    forms.filter(lambda form: form.shape[0] > 1),
    cases(
        seeds,
        st.sampled_from([np.nan, np.inf, -np.inf]),
        st.sets(st.sampled_from(INPUTS), min_size=1),
        thresholds,
        sigmas,
    ),
)
def test_what_is_not_finite_stays_in_its_sentence(form, cases):
    for seed, value, where, threshold, sigma in cases:
        params, arrays, lengths = numbers(form, seed)
        settings = lengths, threshold, sigma
        clean, slope = found(form, params, arrays, *settings)
        spoilt = {name: x.copy() for name, x in arrays.items()}
        for name in where:
            spoilt[name][0] = value
        results, gradient = found(form, params, spoilt, *settings)
        for name, a, b in zip(RESULTS, results, clean, strict=True):
            np.testing.assert_array_equal(a[1:], b[1:], err_msg=name)
        for name in INPUTS[:-1]:
            a, b = (np.asarray(x[1][name]) for x in (gradient, slope))
            np.testing.assert_allclose(a[1:], b[1:], rtol=1e-6, atol=1e-7, err_msg=name)
