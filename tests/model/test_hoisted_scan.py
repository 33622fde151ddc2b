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
