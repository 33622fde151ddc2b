"""No attention: nothing is scored, whatever the score would be."""

import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax


class Unasked(fa_jax.Score):
    def evaluate(self, params, query, keys, state):
        raise AssertionError("a score was asked for")


@pytest.mark.parametrize("implementation", [None, "dense", "windowed"])
def test_its_context_is_zero_and_no_score_is_asked_for(implementation):
    config, params = fa_jax.AttentionConfig(Unasked(), "none"), {"score": {}}
    memory = fa_jax.prepare_memory(params, jnp.ones((2, 5, 4)), jnp.array([5, 3]), config)
    state = fa_jax.initial_attention_state(memory, config).replace(focus=jnp.array([0.0, 2.5]))
    inputs = jnp.ones((2, 4)), jnp.ones((2, 3)), state, memory
    out = fa_jax.attend(params, config, *inputs, implementation=implementation)
    np.testing.assert_array_equal(out.context, np.zeros((2, 4)))
    np.testing.assert_array_equal(out.weights, np.zeros((2, 5)))
    assert not out.scored.any() and not out.window.any()
    assert (out.state.focus.tolist(), out.state.step.tolist()) == ([0.0, 2.5], [1, 1])
