"""A step that is compiled with options of XLA is the step that is compiled without."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.compiler import PRODUCTS_BY_CUBLAS, CompiledForShapes, compiler_options

QUICKLY = compiler_options("cpu", few=True)


@jax.pmap
def doubled(state, numbers):
    return {"sum": state["sum"] + numbers.sum()}, 2 * numbers


def of_devices(*shape):
    shape = (jax.device_count(), *shape)
    return jnp.arange(np.prod(shape), dtype=jnp.float32).reshape(shape)


def test_it_returns_what_the_mapped_function_returns_and_takes_that_again():
    compiled, state, wanted = (
        CompiledForShapes(doubled, QUICKLY),
        *2 * [{"sum": of_devices()}],
    )
    for shape in [(3,), (5, 2), (3,)]:
        state, found = compiled(state, of_devices(*shape))
        wanted, expected = doubled(wanted, of_devices(*shape))
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(state["sum"], wanted["sum"])


def test_it_compiles_once_for_each_shape(monkeypatch):
    compiled, lowered = CompiledForShapes(doubled, QUICKLY), []
    lower = compiled.lower
    monkeypatch.setattr(compiled, "lower", lambda *some: lowered.append(some) or lower(*some))
    for shape in [(3,), (4,), (3,), (4,)]:
        compiled({"sum": of_devices()}, of_devices(*shape))
    assert len(lowered) == 2


def test_xla_is_given_the_options():
    compiled = CompiledForShapes(doubled, {"no_such_option": True})
    with pytest.raises(jax.errors.JaxRuntimeError, match="no_such_option"):
        compiled({"sum": of_devices()}, of_devices(3))


@pytest.mark.parametrize("platform", ["gpu", "cuda"])
def test_gpus_time_no_products_of_xlas_own(platform):
    assert compiler_options(platform) == compiler_options(platform, few=True) == PRODUCTS_BY_CUBLAS


def test_other_devices_are_asked_for_nothing_that_makes_a_long_computation_slower():
    assert not compiler_options("cpu") and not compiler_options("tpu", few=True)
