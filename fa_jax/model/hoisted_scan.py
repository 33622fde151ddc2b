"""A scan over products with constant kernels, whose kernel gradients leave the loop.

Transposing `lax.scan` adds every step's contribution to each kernel's gradient inside the loop:
many small products, and a read and write of the whole gradient a step. The same sum is one large
product of all steps' inputs with all steps' output gradients, which taps bring out of the loop.
What is added up over steps is added up in float32, also where products are bfloat16.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from fa_jax.attention.score import at_least_float32
from fa_jax.attention.tap import tap
from fa_jax.model.product import contract

Taps = tuple[Float[Array, "*T B I"], Float[Array, "*T B J"]]
"""Of a kernel: their gradients are the inputs that it multiplied, and those of its products."""


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
    first = jax.tree.leaves(inputs)[0]

    def zeros(kernel: Float[Array, "I J"]) -> Taps:
        return tuple(jnp.zeros((*first.shape[:2], size), first.dtype) for size in kernel.shape)

    def gradient(taps: Taps, kernel: Float[Array, "I J"]) -> Float[Array, "I J"]:
        return contract("tbi,tbj->ij", *taps)

    taps = {name: tap(zeros, gradient, kernel) for name, kernel in kernels.items()}
    rounded = jax.tree.map(lambda x: jax.lax.stop_gradient(x).astype(first.dtype), kernels)
    wide = jax.tree.map(_wide, constants)  # gradients are added up as precisely

    def body(carry: PyTree, x: tuple[PyTree, dict[str, Taps]]) -> tuple[PyTree, PyTree]:
        inputs, taps = x
        narrow = jax.tree.map(lambda x, given: x.astype(given.dtype), wide, constants)

        def product(name: str, x: Array) -> Array:
            return _tapped_product(x, rounded[name], taps[name])

        return step(product, narrow, carry, inputs)

    if rematerialize:
        body = jax.checkpoint(body)
    return jax.lax.scan(body, carry, (inputs, taps))


def _wide(x: Array) -> Array:
    return at_least_float32(x) if jnp.issubdtype(x.dtype, jnp.floating) else x


@jax.custom_vjp
def _tapped_product(x: Float[Array, "B I"], kernel: Float[Array, "I J"], taps: Taps) -> Array:
    """`x @ kernel`, whose gradient is that of x and of a step's taps."""
    return contract("bi,ij->bj", x, kernel)


def _backward(factors, gradient):
    x, kernel = factors
    gradient = gradient.astype(kernel.dtype)
    return contract("bj,ij->bi", gradient, kernel).astype(x.dtype), None, (x, gradient)


_tapped_product.defvjp(lambda *args: (_tapped_product(*args), args[:2]), _backward)
