"""Arrays of any type that fits: windows and values are those of float32 and int32."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax
from tests.attention.test_attend import at_sigma

SIZES = {"query_size": 6, "memory_size": 6, "feedback_size": 4, "attention_size": 5}
LENGTHS = np.array([100, 0, 37, 1] * 6)


class Cosine(fa_jax.Score):
    """Of the type of its inputs."""

    def evaluate(self, params, query, keys, state):
        query, keys = (
            x * jax.lax.rsqrt((x * x).sum(-1, keepdims=True) + 1e-6) for x in (query, keys)
        )
        return jnp.einsum("nkd,nsd->nks", query, keys)


def attended(config, implementation, lengths=LENGTHS, dtype=jnp.float32, focus=None, steps=2):
    keys = jax.random.split(jax.random.key(0), 3)
    params = fa_jax.init_attention(keys[0], config, **SIZES)
    params, rows = jax.tree.map(lambda x: x.astype(dtype), params), len(lengths)
    annotations = jax.random.normal(keys[1], (rows, 100, 6), dtype)
    query, feedback = jnp.split(jax.random.normal(keys[2], (rows, 10), dtype), [6], axis=-1)
    memory = fa_jax.prepare_memory(params, annotations, jnp.asarray(lengths), config)
    state = fa_jax.initial_attention_state(memory, config)
    if focus is not None:
        state = state.replace(focus=jnp.full(rows, 7.0, focus))

    def step(state, _):
        out = fa_jax.attend(
            params, config, query, feedback, state, memory,
            threshold=1.2, implementation=implementation,
        )  # fmt: skip
        return out.state, (out.context, out.window, out.state.focus)

    return jax.lax.scan(step, state, None, length=steps)[1]


@pytest.mark.parametrize("span", ["flexible", "adaptive", "monotonic_chunkwise"])
@pytest.mark.parametrize("implementation", ["dense", "windowed"])
def test_lengths_of_any_integers(span, implementation):
    """The shortest that have room for them: no position behind them may be counted in these."""
    config = fa_jax.AttentionConfig("concat", span)
    wanted = attended(config, implementation)
    found = attended(config, implementation, LENGTHS.astype(np.int8))
    jax.tree.map(np.testing.assert_array_equal, found, wanted)


@pytest.mark.parametrize("span", ["flexible", "local_m", "global"])
def test_a_score_of_half_precision_keeps_the_focus(span):
    config = fa_jax.AttentionConfig(Cosine(), span)
    dense, windowed = (attended(config, of, dtype=jnp.bfloat16)[1:] for of in ("dense", "windowed"))
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-5), windowed, dense)
    assert dense[1].dtype == windowed[1].dtype == jnp.float32


@pytest.mark.parametrize("focus", ["float32", "float64"])
def test_where_jax_computes_with_64_bits(focus):
    config = fa_jax.AttentionConfig("concat", "flexible")
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):  # 32 and 64 bits meet
        params = fa_jax.init_attention(jax.random.key(0), config, **SIZES)
        assert {leaf.dtype for leaf in jax.tree.leaves(params)} == {jnp.dtype("float32")}
        dense, windowed = (
            attended(config, of, dtype=jnp.float32, focus=focus) for of in ("dense", "windowed")
        )
        narrow = partial(attended, implementation="windowed", focus=focus)
        slope = jax.eval_shape(jax.grad(lambda x: narrow(at_sigma(config, x))[2].sum()), 1.5)
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, atol=1e-5), windowed, dense)
    assert dense[2].dtype == windowed[2].dtype == focus
    assert slope.shape == ()


@pytest.mark.parametrize(("dtype", "focus"), [(jnp.bfloat16, 270), (jnp.float16, 2998)])
def test_a_penalty_of_half_precision_has_the_windows_of_float32(dtype, focus):
    strength, lengths = jnp.full((2, 1), 0.5), jnp.array([[focus + 1], [3]], jnp.int16)
    of_bias = jax.jit(partial(fa_jax.flexible_bias, size=3000, threshold=1.2))
    bias = [
        of_bias(strength.astype(of), jnp.full((2, 1), focus, of), lengths)
        for of in (jnp.float32, dtype)
    ]
    assert bias[1].dtype == dtype
    lowest = float(jnp.finfo(dtype).min)
    wanted = jnp.where(jnp.isinf(bias[0]), -jnp.inf, jnp.maximum(bias[0], lowest))
    np.testing.assert_allclose(bias[1].astype(jnp.float32), wanted, rtol=1e-2)
    assert (jnp.isfinite(bias[0]).sum(-1) == jnp.array([[4], [1]])).all()
