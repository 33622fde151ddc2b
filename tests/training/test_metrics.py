"""What training says of its pace."""

import numpy as np

from fa_jax.training.metrics import pace


def test_steps_that_were_compiled_hardly_count():
    usual, compiled = [0.5] * 88, [20.0] * 12
    np.testing.assert_allclose(pace(usual), 0.5)
    assert pace(compiled + usual) < 0.7
