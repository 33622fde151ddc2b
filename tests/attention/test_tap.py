"""A tap is nothing, and its gradient is that of something else."""

import jax
import jax.numpy as jnp
import numpy as np

from fa_jax.attention.tap import tap

FACTORS = np.arange(6.0, dtype=np.float32).reshape(2, 3)


def total(x, factors):
    """Of two copies of x, which are both zeros."""
    zeros = tap(lambda x: jnp.zeros((2, *x.shape)), lambda slopes, x: slopes.sum(0), x)
    return (zeros * factors).sum()


def test_its_gradient_is_anothers():
    value, gradient = jax.value_and_grad(total)(jnp.array([jnp.nan, 1, 2]), FACTORS)
    assert value == 0
    np.testing.assert_array_equal(gradient, FACTORS.sum(0))


def test_each_example_has_its_own():
    several = np.stack([FACTORS, 10 * FACTORS])
    found = jax.vmap(jax.grad(total))(jnp.ones((2, 3)), several)
    np.testing.assert_array_equal(found, several.sum(1))
