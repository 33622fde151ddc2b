"""The chunked loss against optax, with several chunks and a last one that is not full."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from fa_jax.training import cross_entropy
from fa_jax.training.cross_entropy import weighted_cross_entropy


def plain(kernel, bias, hidden, words, weights):
    logits = hidden @ kernel + bias[None]
    losses = optax.losses.softmax_cross_entropy_with_integer_labels(logits, words)
    return (losses * weights).sum()


@pytest.mark.parametrize("elements", [1, 50, 10_000])
def test_value_and_gradients_are_those_of_optax(elements, monkeypatch):
    monkeypatch.setattr(cross_entropy, "CHUNK_ELEMENTS", elements)
    keys = jax.random.split(jax.random.key(0), 5)
    kernel, bias = jax.random.normal(keys[0], (4, 9)), jax.random.normal(keys[1], (9,))
    hidden = 3 * jax.random.normal(keys[2], (23, 4))
    words = jax.random.randint(keys[3], (23,), 0, 9)
    weights = (jax.random.uniform(keys[4], (23,)) > 0.3).astype(jnp.float32)
    values = (kernel, bias, hidden)

    def scaled(loss):
        return lambda *values: 0.5 * loss(*values, words, weights)

    found, expected = (
        jax.jit(jax.value_and_grad(scaled(loss), (0, 1, 2)))(*values)
        for loss in (weighted_cross_entropy, plain)
    )
    assert np.allclose(jax.jit(scaled(weighted_cross_entropy))(*values), expected[0])
    assert np.allclose(found[0], expected[0])
    for a, b in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_bfloat16_sums_gradients_in_float32(monkeypatch):
    """Over many chunks, each too small to change a bfloat16 sum."""
    monkeypatch.setattr(cross_entropy, "CHUNK_ELEMENTS", 2)
    hidden = jnp.ones((1000, 1), jnp.bfloat16)
    words, weights = jnp.zeros(1000, jnp.int32), jnp.ones(1000)
    found = jax.jit(jax.grad(weighted_cross_entropy, (0, 1)))(
        jnp.zeros((1, 2), jnp.bfloat16), jnp.zeros(2, jnp.bfloat16), hidden, words, weights
    )
    np.testing.assert_array_equal(found[0].astype(float), [[-500, 500]])
    np.testing.assert_array_equal(found[1].astype(float), [-500, 500])
