"""A scan over products with constant kernels, whose kernel gradients leave the loop.

Transposing `lax.scan` adds every step's contribution to each kernel's gradient inside the loop:
many small products, and a read and write of the whole gradient a step. The same sum is one large
product of all steps' inputs with all steps' output gradients. What is added up over steps is added
up in float32, also where products are bfloat16.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from fa_jax.attention.score import at_least_float32
from fa_jax.model.product import contract


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def hoisted_scan(
    step: Callable,
    rematerialize: bool,
    kernels: dict[str, Float[Array, "_ _"]],
    constants: PyTree,
    carry: PyTree,
    inputs: PyTree,
) -> tuple[PyTree, PyTree]:
    """`lax.scan` of `step(product, constants, carry, x) -> (carry, y)`; returns carry and ys.

    `product(name, x)` is `x @ kernels[name]` in float32, from factors as precise as x [B, I]; a
    step uses each kernel once. rematerialize: recompute the steps in the backward pass. inputs:
    leaves [T, B, ...], one x a step; the first is as precise as the factors.
    """

    def product(name: str, x: Array) -> Array:
        return contract("bi,ij->bj", x, kernels[name].astype(x.dtype))

    return jax.lax.scan(lambda carry, x: step(product, constants, carry, x), carry, inputs)


def _forward(step, rematerialize, kernels, constants, carry, inputs):
    first = jax.tree.leaves(inputs)[0]
    rounded = {name: kernel.astype(first.dtype) for name, kernel in kernels.items()}
    taps = {
        name: jnp.zeros((*first.shape[:2], kernel.shape[1]), first.dtype)
        for name, kernel in kernels.items()
    }

    def body(wide, carry, x, taps):
        factors = {}

        def product(name: str, x: Array) -> Array:
            factors[name] = x
            return _tapped_product(x, rounded[name], taps[name])

        narrow = jax.tree.map(lambda x, given: x.astype(given.dtype), wide, constants)
        carry, y = step(product, narrow, carry, x)
        return carry, (y, factors)

    if rematerialize:
        body = jax.checkpoint(body)

    def scan(taps, constants, carry, inputs):
        wide = jax.tree.map(  # gradients are added up as precisely
            lambda x: at_least_float32(x) if jnp.issubdtype(x.dtype, jnp.floating) else x, constants
        )
        carry, (ys, factors) = jax.lax.scan(
            lambda carry, x: body(wide, carry, *x), carry, (inputs, taps)
        )
        return (carry, ys), factors

    outputs, backward, factors = jax.vjp(scan, taps, constants, carry, inputs, has_aux=True)
    return outputs, (backward, factors, kernels)


def _backward(step, rematerialize, residuals, gradient):
    backward, factors, kernels = residuals
    taps, constants, carry, inputs = backward(gradient)
    gradients = {
        name: contract("tbi,tbj->ij", factors[name], tap).astype(kernels[name].dtype)
        for name, tap in taps.items()
    }
    return gradients, constants, carry, inputs


hoisted_scan.defvjp(_forward, _backward)


@jax.custom_vjp
def _tapped_product(x: Array, kernel: Array, tap: Array) -> Array:
    """`x @ kernel`; its gradient also becomes the tap's, which the scan stacks step by step."""
    return contract("bi,ij->bj", x, kernel)


def _tapped_backward(kernel, gradient):
    gradient = gradient.astype(kernel.dtype)
    return contract("bj,ij->bi", gradient, kernel).astype(kernel.dtype), None, gradient


_tapped_product.defvjp(lambda *args: (_tapped_product(*args), args[1]), _tapped_backward)
