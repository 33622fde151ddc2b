"""Summaries of a three-dimensional alignment."""

import numpy as np
import pytest

from fa_jax.evaluation.alignment import mean_over_dimensions, mean_over_steps, of_dimension


def test_summaries_and_slices():
    alignment = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 5)).swapaxes(1, 2)
    assert alignment.shape == (3, 4, 5)
    flat, by_word = mean_over_dimensions(alignment), mean_over_steps(alignment)
    np.testing.assert_allclose(flat.sum(1), 1)
    for t, s, d in np.ndindex(alignment.shape):
        np.testing.assert_allclose(flat[t, s], sum(alignment[t, s, i] for i in range(5)) / 5)
        np.testing.assert_allclose(by_word[s, d], sum(alignment[i, s, d] for i in range(3)) / 3)
        assert of_dimension(alignment, d)[t, s] == alignment[t, s, d]


@pytest.mark.parametrize("dimension", [-1, 5])
def test_a_dimension_that_is_not_there(dimension):
    with pytest.raises(ValueError, match=f"dimension must be 0 to 4, got {dimension}"):
        of_dimension(np.zeros((3, 4, 5)), dimension)
