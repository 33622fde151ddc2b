"""The kernel, interpreted: the equations in float64, whatever the shape, and no race."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas import tpu as pltpu

import fa_jax
from fa_jax.attention import kernel
from fa_jax.attention.implementation import IMPLEMENTATIONS
from fa_jax.attention.kernel import tpu
from tests.attention.reference import attend_by_name

ON_GPU = jax.default_backend() == "gpu"
of_tpus = pytest.mark.skipif(ON_GPU, reason="for TPUs; a processor interprets it")
SCORES = [name for name, kind in fa_jax.SCORES.items() if kind.in_kernel is not None]
SPANS = ["local_p", "local_m", "adaptive", "monotonic_chunkwise"]


def case(config, seed):
    """A step of random sizes: windows of none, one and several blocks, beyond the sentence, too."""
    random = np.random.default_rng(seed)
    sentences, queries, length = (int(x) for x in random.integers((1, 1, 1), (4, 4, 70)))
    units = {name: int(random.integers(1, 9)) for name in ("memory", "feedback", "attention")}
    units["query"] = units["memory"]  # as the dot score needs it
    sizes = {f"{name}_size": size for name, size in units.items()}
    params = fa_jax.init_attention(jax.random.key(seed), config, **sizes)
    params = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64) * 2, params)
    if "strength" in params:
        params["strength"]["bias"] = np.float64(random.uniform(-4, 2))
    shape = sentences, queries
    arrays = {
        "query": random.normal(size=(*shape, units["query"])),
        "feedback": random.normal(size=(*shape, units["feedback"])),
        "focus": random.uniform(-5, length + 5, shape),
        "annotations": random.normal(size=(sentences, length, units["memory"])),
    }
    lengths = random.integers(0, length + 1, sentences)
    return params, arrays, lengths, float(random.choice([0.05, 1.2, 8.0, np.inf]))


def attend_once(config, params, arrays, lengths, threshold, dtype=jnp.float32, **options):
    params, arrays = jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype), (params, arrays))
    memory = fa_jax.prepare_memory(params, arrays["annotations"], jnp.asarray(lengths), config)
    state = fa_jax.initial_attention_state(memory, config)
    queries = arrays["query"].shape[1]
    state = jax.tree.map(lambda x: jnp.repeat(x[:, None], queries, axis=1), state)
    state = state.replace(focus=arrays["focus"].astype(jnp.float32))
    inputs = params, config, arrays["query"], arrays["feedback"], state, memory
    return fa_jax.attend(*inputs, threshold=threshold, **options)


attended = jax.jit(
    attend_once, static_argnums=0, static_argnames=("dtype", "implementation", "details")
)


def reference(config, params, arrays, lengths, threshold):
    """context [B, K, D] and focus [B, K]."""
    shape = arrays["focus"].shape
    found = [
        attend_by_name(
            params,
            config,
            *(arrays[name][row] for name in ("query", "feedback", "focus")),
            0,
            None,
            None,
            arrays["annotations"][row[0]],
            lengths[row[0]],
            threshold,
        )
        for row in np.ndindex(shape)
    ]
    context, _, focus, *_ = zip(*found, strict=True)
    return np.reshape(context, (*shape, -1)), np.reshape(focus, shape)


@of_tpus
@pytest.mark.parametrize("kind", SCORES)
def test_agrees_with_the_equations(kind, request):
    config = fa_jax.AttentionConfig(kind, "flexible")
    for seed in range(request.config.getoption("--kernel-shapes")):
        inputs = case(config, 8 + seed)
        out = attended(config, *inputs, implementation="kernel", details=False)
        context, focus = reference(config, *inputs)
        np.testing.assert_allclose(out.context, context, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(out.state.focus, focus, rtol=1e-5, atol=1e-5)


@of_tpus
@pytest.mark.parametrize("kind", SPANS)
def test_any_span_agrees_with_dense(kind):
    config = fa_jax.AttentionConfig("concat", kind)
    inputs = case(config, 3)
    found, wanted = (attended(config, *inputs, implementation=name) for name in ("kernel", "dense"))
    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-5), found, wanted)


@of_tpus
def test_sigma_may_be_an_array_and_has_a_gradient():
    inputs = case(fa_jax.AttentionConfig(), 5)

    @partial(jax.jit, static_argnums=1)
    @jax.grad
    def slope(sigma, implementation):
        config = fa_jax.AttentionConfig(span=fa_jax.Flexible(sigma))
        out = attend_once(config, *inputs[:3], 1.2, implementation=implementation, details=False)
        return out.context.sum()

    of_kernel, of_dense = (slope(jnp.float32(2.0), name) for name in ("kernel", "dense"))
    assert of_dense != 0
    np.testing.assert_allclose(of_kernel, of_dense, rtol=1e-5)


@of_tpus
def test_half_precision_stays_near():
    for score in ("dot", "fine_grained"):
        config = fa_jax.AttentionConfig(score)
        inputs = case(config, 5)
        options = {"dtype": jnp.bfloat16, "details": False}
        out = attended(config, *inputs, implementation="kernel", **options)
        context, _ = reference(config, *inputs)
        assert out.context.dtype == jnp.bfloat16
        np.testing.assert_allclose(np.asarray(out.context, np.float32), context, atol=0.1)


def watched_for_races(monkeypatch):
    """A step with many blocks; nothing orders the kernel's reads and writes but its waits."""
    interpret = pltpu.InterpretParams(detect_races=True, dma_execution_mode="eager")
    watched = partial(tpu.context_and_focus, interpret=interpret)
    monkeypatch.setitem(IMPLEMENTATIONS, "kernel", partial(kernel.weigh, compute=watched))
    config = fa_jax.AttentionConfig()
    inputs = (*case(config, 8)[:3], np.inf)
    out = attend_once(config, *inputs, implementation="kernel", details=False)
    return out, reference(config, *inputs)


@of_tpus
def test_no_block_is_read_before_it_is_there(monkeypatch, capfd):
    out, (context, focus) = watched_for_races(monkeypatch)
    np.testing.assert_allclose(out.context, context, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(out.state.focus, focus, rtol=1e-5, atol=1e-5)
    assert "RACE" not in "".join(capfd.readouterr())


@of_tpus
def test_a_kernel_that_does_not_wait_is_found_out(monkeypatch, capfd):
    """Else the test above could not fail."""
    copy = pltpu.make_async_copy

    def hasty(*of):
        made = copy(*of)
        monkeypatch.setattr(type(made), "wait", lambda self: None)
        return made

    monkeypatch.setattr(pltpu, "make_async_copy", hasty)
    said = ""
    try:
        watched_for_races(monkeypatch)
    except jax.errors.JaxRuntimeError as error:  # jax 0.12 raises what others print
        said = str(error)
    assert "RACE" in said + "".join(capfd.readouterr())


def test_what_it_fetches_follows_the_windows():
    """Windows of 16 positions at random places touch as many blocks, however long the sentence."""
    random, touched = np.random.default_rng(0), {}
    for positions in (64, 8192):
        first = jnp.asarray(random.integers(0, positions - 15, (1, 4000)), jnp.int32)
        blocks = tpu.blocks_of(fa_jax.Reach(first, first + 15), positions)
        np.testing.assert_array_equal(blocks.before, np.cumsum(blocks.count) - blocks.count)
        assert (blocks.begin * 16 <= first[0]).all()
        assert ((blocks.begin + blocks.count) * 16 > first[0] + 15).all()
        touched[positions] = float(blocks.count.mean())
    assert touched[8192] / touched[64] == pytest.approx(1.016, abs=0.001)


@pytest.mark.parametrize(
    ("score", "span", "words"),
    [
        ("recurrent", "flexible", r"no kernel evaluates Recurrent.*the scores dot, general"),
        ("location", "flexible", "no kernel evaluates Location"),
    ],
)
def test_what_it_cannot_evaluate_is_named(score, span, words):
    config = fa_jax.AttentionConfig(score, span)
    with pytest.raises(ValueError, match=words):
        attended(config, *case(config, 1), implementation="kernel")


def test_another_accelerator_is_told_what_to_take(monkeypatch):
    config = fa_jax.AttentionConfig()
    inputs = case(config, 1)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    with pytest.raises(ValueError, match="for TPUs, and this is a gpu: take 'windowed'"):
        attend_once(config, *inputs, implementation="kernel")
