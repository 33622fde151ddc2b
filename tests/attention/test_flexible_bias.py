"""The penalty alone, as a bias for other attentions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax


@pytest.mark.parametrize("threshold", [1.2, np.inf])
def test_the_penalty_alone_biases_other_attentions(threshold):
    """Multi-head attention of JAX's own under the bias is the softmax of score - penalty."""
    random = np.random.default_rng(0)
    batch, steps, length, heads, size = 3, 4, 17, 2, 8
    q = random.normal(size=(batch, steps, heads, size))
    k, v = random.normal(size=(2, batch, length, heads, size))
    strength, focus = random.uniform(size=(batch, steps)), random.uniform(-2, 20, (batch, steps))
    lengths = np.array([17, 1, 9])

    @jax.jit
    def attend(strength, focus, lengths, *inputs):
        options = {"sigma": 2.0, "threshold": threshold}
        bias = fa_jax.flexible_bias(strength, focus, lengths[:, None], length, **options)
        return jax.nn.dot_product_attention(*inputs, bias=bias[:, None])

    found = attend(*map(jnp.float32, (strength, focus)), lengths, *map(jnp.float32, (q, k, v)))
    for b, t, n in np.ndindex(batch, steps, heads):
        exponents = {}
        for s in range(lengths[b]):
            cost = strength[b, t] * (s - focus[b, t]) ** 2 / (2 * 2.0**2)
            nearest = min(max(round(focus[b, t]), 0), lengths[b] - 1)
            if cost < threshold or s == nearest:
                exponents[s] = q[b, t, n] @ k[b, s, n] / np.sqrt(size) - cost
        highest = max(exponents.values())
        total = sum(np.exp(e - highest) for e in exponents.values())
        wanted = sum(np.exp(e - highest) / total * v[b, s, n] for s, e in exponents.items())
        np.testing.assert_allclose(found[b, t, n], wanted, rtol=1e-4, atol=1e-5)


def test_a_bias_of_impossible_settings():
    g = jnp.ones((2, 3))
    with pytest.raises(ValueError, match="sigma must be greater than 0"):
        fa_jax.flexible_bias(g, g, jnp.ones((2, 1), jnp.int32), 4, sigma=0)
    with pytest.raises(ValueError, match="focus must have shape"):
        fa_jax.flexible_bias(g, g[:, :2], jnp.ones((2, 1), jnp.int32), 4)
