"""Learning in windows: the gradients of dense steps, whatever the score and the span."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax

SIZES = {"query_size": 6, "memory_size": 6, "feedback_size": 4, "attention_size": 5}
LENGTHS, STEPS = (21, 13, 1, 0), 5
SPANS = [
    fa_jax.Flexible(2.0),
    fa_jax.LocalP(half_width=3),
    fa_jax.Adaptive(ramp=3.0),
    fa_jax.Global(),
    fa_jax.NoAttention(),
]
OTHERS = ("dot", "location", "fine_grained", "tensor")
"""Scores without parameters, with keys that have no gradient, of dimensions, with several keys."""
PAIRS = [("concat", span) for span in SPANS] + [(score, SPANS[0]) for score in OTHERS]


def case(config, length=21):
    keys = jax.random.split(jax.random.key(3), 4)
    params = fa_jax.init_attention(keys[0], config, **SIZES)
    params = jax.tree.map(lambda leaf: 2 * leaf, params)
    for name, bias in {"strength": 0.3, "extent": -2.0}.items():
        if name in params:
            params[name]["bias"] = jnp.float32(bias)
    annotations = jax.random.normal(keys[1], (len(LENGTHS), 21, 6))
    annotations = jnp.pad(annotations, ((0, 0), (0, length - 21), (0, 0)))
    inputs = jax.random.normal(keys[2], (STEPS, len(LENGTHS), 10))
    return params, annotations, inputs


def loss(config, in_windows, inputs, threshold=1.2):
    """Of a recurrence that attends: each query is made of the context before."""
    params, annotations, steps = inputs
    memory = fa_jax.prepare_memory(params, annotations, jnp.array(LENGTHS), config)
    state = fa_jax.initial_attention_state(memory, config)
    if in_windows:
        memory, state = fa_jax.learn_in_windows(memory, state)

    def step(carry, x):
        state, context = carry
        query, feedback = jnp.split(x, [6], axis=-1)
        out = fa_jax.attend(
            params,
            config,
            query + 0.3 * context,
            feedback,
            state,
            memory,
            threshold=threshold,
            implementation="windowed" if in_windows else "dense",
            details=False,
        )
        return (out.state, out.context), (out.context, out.state.focus, out.cost)

    start = state, jnp.zeros((len(LENGTHS), 6))
    _, (contexts, focuses, costs) = jax.lax.scan(step, start, steps)
    mix = np.random.default_rng(0).normal(size=contexts.shape)
    return (contexts * mix).sum() + 0.1 * (focuses * mix[..., 0]).sum() + costs.sum()


@partial(jax.jit, static_argnums=(1, 2))
def with_gradient(inputs, config, in_windows):
    return jax.value_and_grad(partial(loss, config, in_windows))(inputs)


@pytest.mark.parametrize(("score", "span"), PAIRS)
def test_gradients_are_those_of_dense_steps(score, span):
    config = fa_jax.AttentionConfig(score, span)
    inputs = case(config)
    wanted, of_dense = with_gradient(inputs, config, False)
    found, of_windows = with_gradient(inputs, config, True)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    scale = max(float(jnp.abs(leaf).max()) for leaf in jax.tree.leaves(of_dense))
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5 * scale), of_windows, of_dense
    )


def test_padding_does_not_matter():
    config = fa_jax.AttentionConfig("concat", fa_jax.Flexible(2.0))
    short, long = (with_gradient(case(config, length), config, True)[1] for length in (21, 40))
    np.testing.assert_allclose(short[1], long[1][:, :21], atol=1e-6)
    assert not long[1][:, 21:].any()


def test_what_cannot_be_learnt_so_says_why():
    config = fa_jax.AttentionConfig("recurrent", "flexible")
    with pytest.raises(ValueError, match="remember"):
        loss(config, True, case(config))
    config = fa_jax.AttentionConfig("concat", "flexible")
    params, annotations, steps = case(config)
    memory = fa_jax.prepare_memory(params, annotations, jnp.array(LENGTHS), config)
    memory, state = fa_jax.learn_in_windows(memory, fa_jax.initial_attention_state(memory, config))
    attend = partial(fa_jax.attend, params, config, steps[0, :, :6], steps[0, :, 6:], state, memory)
    with pytest.raises(ValueError, match="implementation='windowed'"):
        attend(details=False)
    with pytest.raises(ValueError, match="details=False"):
        attend(implementation="windowed")


def test_under_vmap_each_example_has_its_own_gradient():
    config = fa_jax.AttentionConfig("concat", SPANS[0])
    params, annotations, inputs = case(config)
    several = jnp.stack([annotations, annotations[::-1], 2 * annotations])

    def total(several, in_windows):
        def one(annotations):
            return loss(config, in_windows, (params, annotations, inputs))

        return jax.vmap(one)(several).sum()

    found, wanted = (jax.jit(jax.grad(total), static_argnums=1)(several, x) for x in (True, False))
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)
