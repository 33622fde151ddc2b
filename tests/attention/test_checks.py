"""Lengths that cannot be are said, where their values are known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax

B, S, D = 3, 5, 4
ANNOTATIONS = jnp.ones((B, S, D))
SIZES = {"query_size": 2, "memory_size": D, "feedback_size": 3, "attention_size": 2}


@pytest.fixture(scope="module")
def params():
    return fa_jax.init_flexible_attention(jax.random.key(0), **SIZES)


def step(params, memory):
    query, feedback, focus = jnp.ones((B, 2)), jnp.ones((B, 3)), jnp.zeros(B)
    return fa_jax.flexible_attention(params, query, feedback, focus, memory).context


@pytest.mark.parametrize("wrong", [S + 1, -1])
def test_a_length_that_cannot_be_is_named(params, wrong):
    words = rf"lengths\[1\] must be from 0 to {S}, .*got {wrong}"
    with pytest.raises(ValueError, match=words):
        fa_jax.prepare_memory(params, ANNOTATIONS, jnp.array([S, wrong, wrong]))
    memory = fa_jax.prepare_memory(params, ANNOTATIONS, jnp.array([S, 0, 1]))
    with pytest.raises(ValueError, match=f"memory.{words}"):
        step(params, memory.replace(lengths=jnp.array([S, wrong, 0])))


def test_of_a_bias_row_and_query_are_named():
    strength = jnp.ones((2, 3))
    with pytest.raises(ValueError, match=rf"lengths\[1, 0\] must be from 0 to {S}, .*got 9"):
        fa_jax.flexible_bias(strength, strength, jnp.array([[S], [9]]), S)


def test_traced_lengths_pass(params):
    @jax.jit
    def traced(lengths):
        return step(params, fa_jax.prepare_memory(params, ANNOTATIONS, lengths))

    assert np.isfinite(traced(jnp.array([S + 4, S, 1]))[1:]).all()
