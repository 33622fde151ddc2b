"""Products against float64, of factors that were rounded to bfloat16 or not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.model.product import contract, dense
from fa_jax.training.cross_entropy import weighted_cross_entropy


def normal(seed, *shape):
    return jax.random.normal(jax.random.key(seed), shape)


def double(x, rounded):
    """In float64, with 8 digits (of base 2) or with all."""
    x = np.asarray(x, np.float64)
    if not rounded:
        return x
    fraction, exponent = np.frexp(x)  # a half or more, and less than 1
    digits = np.round(fraction * 2**8)  # halves to even, as bfloat16 does
    return np.ldexp(digits, exponent - 8)


@pytest.mark.parametrize(("precision", "rounded"), [("bfloat16", True), ("default", False)])
def test_products_have_the_factors_that_the_precision_asks_for(precision, rounded):
    x, y = normal(0, 5, 70), normal(1, 70, 6)
    with jax.default_matmul_precision(precision):
        found = contract("ni,ij->nj", x, y)
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, double(x, rounded) @ double(y, rounded), atol=1e-5)
    other = double(x, not rounded) @ double(y, not rounded)
    assert np.abs(found - other).max() > 1e-3


@pytest.mark.parametrize(("precision", "rounded"), [("bfloat16", True), ("default", False)])
def test_gradients_of_a_layer_are_rounded_as_it_is(precision, rounded):
    x, kernel, bias, slopes = (
        normal(0, 2, 20, 7),
        normal(1, 7, 6),
        normal(2, 6),
        normal(3, 2, 20, 6),
    )

    @jax.jit
    def layer(slopes, *given):
        value, backward = jax.vjp(dense, *given)
        return value, backward(slopes)

    with jax.default_matmul_precision(precision):
        value, (of_x, of_kernel, of_bias) = layer(slopes, x, kernel, bias)
    a, b, c = (double(factor, rounded) for factor in (x, kernel, slopes))
    np.testing.assert_allclose(value, a @ b + np.asarray(bias), atol=1e-5)
    np.testing.assert_allclose(of_x, c @ b.T, atol=1e-5)
    np.testing.assert_allclose(of_kernel, np.einsum("nti,ntj->ij", a, c), atol=1e-5)
    np.testing.assert_allclose(of_bias, slopes.sum((0, 1)), atol=1e-5)


def test_narrow_factors_are_not_rounded_again():
    x = normal(0, 3, 4).astype(jnp.bfloat16)
    with jax.default_matmul_precision("bfloat16"):
        layer = dense(x, normal(1, 4, 2).astype(jnp.bfloat16))
    assert layer.dtype == jnp.bfloat16


def test_the_loss_of_rounded_factors_is_near():
    given = normal(0, 16, 30), normal(1, 30), normal(2, 40, 16)
    words, weights = jnp.arange(40) % 30, jnp.ones(40)

    def measured(precision):
        with jax.default_matmul_precision(precision):
            loss = jax.jit(jax.value_and_grad(weighted_cross_entropy, (0, 1, 2)))
            return jax.tree.leaves(loss(*given, words, weights))

    for rounded, exact in zip(measured("bfloat16"), measured("default"), strict=True):
        apart = np.linalg.norm(rounded - exact) / np.linalg.norm(exact)
        assert 0 < apart < 0.01
