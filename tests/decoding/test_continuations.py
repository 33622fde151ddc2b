import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.decoding.continuations import GROUP, best_continuations


@pytest.mark.parametrize("groups", [1, 16])
@pytest.mark.parametrize("kinds", [3, 10**6])
@pytest.mark.parametrize("count", [1, 5, 40])
def test_they_are_the_largest_of_all_sums(groups, kinds, count):
    """Of few kinds of numbers most are equal. A sentence has fewer sums than are asked for."""
    random = np.random.default_rng(0)
    scores = random.integers(0, kinds, (6, 4, groups * GROUP)).astype(np.float32)
    scores[..., :2] = kinds + 1  # may not be written
    before = -random.integers(0, 3, (6, 4)).astype(np.float32)
    before[1, 2:] = before[0] = -np.inf
    scores[2, :, 3:] = -np.inf
    best = jax.jit(best_continuations, static_argnums=(2, 3))
    found = best(jnp.asarray(scores), jnp.asarray(before), count, (0, 1))
    sums = scores + before[..., None]
    sums[..., :2] = -np.inf
    sums = sums.reshape(6, -1)
    place = np.argsort(-sums, axis=1, kind="stable")[:, :count]
    expected = np.take_along_axis(sums, place, axis=1)
    np.testing.assert_array_equal(found[0], expected)
    real = np.isfinite(expected)
    for number, wanted in zip(found[1:], divmod(place, groups * GROUP), strict=True):
        np.testing.assert_array_equal(np.asarray(number)[real], wanted[real])
