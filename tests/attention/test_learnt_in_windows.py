"""Learning in windows: the gradients of dense steps, whatever the score and the span."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax
from fa_jax.attention.lesson import gaze

SIZES = {"query_size": 6, "memory_size": 6, "feedback_size": 4, "attention_size": 5}
LENGTHS, STEPS = (21, 13, 1, 0), 5
SPANS = [
    fa_jax.Flexible(2.0),
    fa_jax.LocalP(half_width=3),
    fa_jax.LocalM(half_width=2),
    fa_jax.Adaptive(ramp=3.0),
    fa_jax.Global(),
]
PAIRS = [("concat", span) for span in SPANS] + [
    (score, SPANS[0]) for score in fa_jax.SCORES if score not in ("concat", "recurrent")
]


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


def loss(config, in_windows, inputs, free=None, threshold=1.2, near=0):
    """Of a recurrence that attends: each query is made of the context before."""
    params, annotations, steps = inputs
    memory = fa_jax.prepare_memory(params, annotations, jnp.array(LENGTHS), config)
    state = fa_jax.initial_attention_state(memory, config)
    if in_windows:
        memory, state = fa_jax.learn_in_windows(memory, state, near)

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
            free=free,
        )
        return (out.state, out.context), (out.context, out.state.focus, out.cost, out.gaze)

    start = state, jnp.zeros((len(LENGTHS), 6))
    _, (contexts, focuses, costs, gazes) = jax.lax.scan(step, start, steps)
    mix = np.random.default_rng(0).normal(size=contexts.shape)
    return (contexts * mix).sum() + 0.1 * (focuses * mix[..., 0]).sum() + costs.sum(), gazes


def with_gradient(inputs, config, in_windows, **options):
    of = jax.value_and_grad(partial(loss, config, in_windows, **options), has_aux=True)
    return jax.jit(of)(inputs)


@pytest.mark.parametrize(("score", "span"), PAIRS)
def test_gradients_are_those_of_dense_steps(score, span):
    config = fa_jax.AttentionConfig(score, span)
    inputs = case(config)
    (wanted, _), of_dense = with_gradient(inputs, config, False)
    (found, _), of_windows = with_gradient(inputs, config, True)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    scale = max(float(jnp.abs(leaf).max()) for leaf in jax.tree.leaves(of_dense))
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5 * scale), of_windows, of_dense
    )


def test_a_span_learns_from_what_its_windows_hold():
    """At a threshold that leaves nothing out the lesson is that of dense steps; at another it is
    that of the scores inside."""
    config = fa_jax.AttentionConfig("concat", fa_jax.Flexible(2.0))
    inputs, free = case(config), jnp.zeros(len(LENGTHS), bool)
    options = {"free": free, "threshold": 60.0}
    (wanted, _), of_dense = with_gradient(inputs, config, False, **options)
    (found, _), of_windows = with_gradient(inputs, config, True, **options)
    np.testing.assert_allclose(found, wanted, rtol=1e-4)
    strength = of_windows[0]["strength"], of_dense[0]["strength"]
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5), *strength)

    params, annotations, steps = inputs
    lengths = jnp.array(LENGTHS)
    memory = fa_jax.prepare_memory(params, annotations, lengths, config)
    before = fa_jax.initial_attention_state(memory, config).replace(focus=jnp.full(4, 6.0))
    options = {"threshold": 1.2, "details": False, "free": free}
    query, feedback = jnp.split(steps[0], [6], axis=-1)
    memory, state = fa_jax.learn_in_windows(memory, before)
    attend = partial(fa_jax.attend, config=config, implementation="windowed", **options)
    out = jax.jit(attend)(params, query=query, feedback=feedback, state=state, memory=memory)
    first = jnp.ceil(6 - (out.window - 1) / 2)  # the focus is a whole number
    cut = [annotations[:, int(a) : int(a) + int(n)] for a, n in zip(first[:2], out.window[:2])]
    for row, part in enumerate(cut):
        kernels = params["score"]
        hidden = jnp.tanh(
            query[row] @ kernels["query_kernel"] + part[row] @ kernels["memory_kernel"]
        )
        scores = (hidden @ kernels["vector"])[None, None]
        alone = gaze(scores, jnp.arange(len(part[row])) + first[row], jnp.array([10**6]))
        np.testing.assert_allclose(out.gaze.mean[row], alone.mean[0, 0], rtol=1e-5)
        np.testing.assert_allclose(out.gaze.square[row], alone.square[0, 0], rtol=1e-5)


def test_a_free_sentence_under_local_p_is_read_near_the_focus():
    """With all positions near, that is the whole of it; with few, no more than those."""
    config = fa_jax.AttentionConfig("concat", fa_jax.LocalP(half_width=3))
    inputs, free = case(config), jnp.array([True, False, False, False])
    (found, _), of_whole = with_gradient(inputs, config, True, free=free)
    (near, _), of_near = with_gradient(inputs, config, True, free=free, near=21)
    few, _ = with_gradient(inputs, config, True, free=free, near=2)
    np.testing.assert_allclose(near, found, rtol=1e-5)
    assert abs(float(few[0] - near)) > 1e-3
    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-4), of_near, of_whole)


def test_near_positions_are_learnt_from_whatever_the_window():
    """With all positions near, narrow windows and free sentences are those of dense steps: the
    penalty is what tells positions apart, and beyond 100 nats nothing is left of them."""
    config = fa_jax.AttentionConfig("concat", fa_jax.Flexible(2.0))
    params, *inputs = case(config)
    params["strength"]["bias"] = jnp.float32(6.0)
    free = jnp.array([False, True, False, False])
    close = partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-5)
    wanted, of_dense = with_gradient((params, *inputs), config, False, free=free, threshold=1e6)
    for threshold in (0.5, 60.0):
        options = {"free": free, "near": 21, "threshold": threshold}
        found, in_windows = with_gradient((params, *inputs), config, True, **options)
        close(found[0], wanted[0])
        for a, b in zip(*map(jax.tree.leaves, (found[1], wanted[1])), strict=True):
            close(a[:, :3], b[:, :3])  # the last sentence is empty
        jax.tree.map(partial(close, atol=1e-3), in_windows, of_dense)


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
            return loss(config, in_windows, (params, annotations, inputs))[0]

        return jax.vmap(one)(several).sum()

    found, wanted = (jax.jit(jax.grad(total), static_argnums=1)(several, x) for x in (True, False))
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)
