"""The hoisted scan is `lax.scan`, in values and in gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.model.hoisted_scan import hoisted_scan


def step(product, constants, carry, x):
    hidden = jnp.tanh(product("first", carry) + x["input"] * constants["scale"])
    carry = carry + product("second", hidden)
    return carry, (hidden, carry[:, 0])


def arguments():
    keys = jax.random.split(jax.random.key(0), 4)
    kernels = {
        "first": jax.random.normal(keys[0], (3, 4)),
        "second": jax.random.normal(keys[1], (4, 3)),
    }
    constants = {"scale": jnp.float32(0.7), "length": jnp.int32(3)}
    carry = jax.random.normal(keys[2], (2, 3))
    return kernels, constants, carry, {"input": jax.random.normal(keys[3], (5, 2, 4))}


def plain(kernels, constants, carry, inputs):
    def body(carry, x):
        return step(lambda name, value: value @ kernels[name], constants, carry, x)

    return jax.lax.scan(body, carry, inputs)


def total(function):
    def of(kernels, scale, carry, inputs):
        constants = {"scale": scale, "length": jnp.int32(3)}
        carry, (hidden, first) = function(kernels, constants, carry, inputs)
        return jnp.sin(carry).sum() + (hidden**2).sum() + jnp.cos(first).sum()

    return of


@pytest.mark.parametrize("rematerialize", [False, True])
def test_values_and_gradients_are_those_of_a_plain_scan(rematerialize):
    kernels, constants, carry, inputs = arguments()

    def hoisted(*args):
        return hoisted_scan(step, rematerialize, *args)

    jax.tree.map(
        np.testing.assert_allclose,
        jax.jit(hoisted)(kernels, constants, carry, inputs),
        plain(kernels, constants, carry, inputs),
    )
    values = (kernels, constants["scale"], carry, inputs)
    found = jax.jit(jax.grad(total(hoisted), (0, 1, 2, 3)))(*values)
    expected = jax.grad(total(plain), (0, 1, 2, 3))(*values)
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), found, expected
    )


def test_gradients_of_bfloat16_constants_are_summed_in_float32():
    """1,000 times 1: in bfloat16 the sum stays at 256."""

    def step(product, constants, carry, x):
        return carry, product("kernel", x) + constants.astype(jnp.float32)

    def summed(kernel, constant):
        inputs = jnp.ones((1000, 1, 1), jnp.bfloat16)
        return hoisted_scan(step, False, {"kernel": kernel}, constant, (), inputs)[1].sum()

    one = jnp.ones((1, 1), jnp.bfloat16)
    for_kernel, for_constant = jax.jit(jax.grad(summed, (0, 1)))(jnp.ones((1, 1)), one)
    assert for_kernel.dtype == jnp.float32
    assert for_kernel == 1000
    assert for_constant == 1000
