"""What a span decides on is one number of many digits, however few the products have."""

import jax
import jax.numpy as jnp
import numpy as np

from fa_jax.attention.hidden_layer import decide, init_decision

LENGTH = 8192


def test_a_place_in_a_long_source_is_exact_in_bfloat16():
    params = init_decision(jax.random.key(0), inputs=4, units=256)
    params = jax.tree.map(lambda leaf: (4 * leaf).astype(jnp.bfloat16), params)
    hidden = jax.random.normal(jax.random.key(1), (50, 256), jnp.bfloat16)
    places = LENGTH * np.asarray(decide(params, hidden), np.float64)

    in_float64 = [np.asarray(x, np.float64) for x in (jnp.tanh(hidden), params["vector"])]
    wanted = LENGTH / (1 + np.exp(-in_float64[0] @ in_float64[1]))
    np.testing.assert_allclose(places, wanted, atol=0.01)


def test_its_product_asks_every_device_for_all_digits():
    params = init_decision(jax.random.key(0), inputs=4, units=8)
    assert "HIGHEST" in jax.jit(decide).lower(params, jnp.ones((3, 8))).as_text()
