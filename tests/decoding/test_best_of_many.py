import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.decoding.best_of_many import best_of_many


@pytest.mark.parametrize("size", [5, 64, 1000, 1024])
@pytest.mark.parametrize("kinds", [3, 10**6])
def test_it_is_top_k_with_ties_and_nothing(size, kinds):
    """Of few kinds of numbers most are equal. A row has fewer numbers than are asked for."""
    numbers = np.random.default_rng(0).integers(0, kinds, (6, size)).astype(np.float32)
    numbers[0, 3:] = -np.inf
    found = best_of_many(jnp.asarray(numbers), 5)
    expected = jax.lax.top_k(jnp.asarray(numbers), 5)
    np.testing.assert_array_equal(found[0], expected[0])
    real = np.isfinite(expected[0])
    np.testing.assert_array_equal(np.asarray(found[1])[real], np.asarray(expected[1])[real])
    assert (found[1] < size).all()
