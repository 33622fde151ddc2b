"""A scan over products with constant kernels, whose kernel gradients leave the loop.

Transposing `lax.scan` adds every step's contribution to each kernel's gradient inside the loop:
many small products, and a read and write of the whole gradient a step. The same sum is one large
product of all steps' inputs with all steps' output gradients.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

Kernels = dict[str, Array]
Product = Callable[[str, Array], Array]


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def hoisted_scan(
    step: Callable,
    rematerialize: bool,
    kernels: Kernels,
    constants: PyTree,
    carry: PyTree,
    inputs: PyTree,
) -> tuple[PyTree, PyTree]:
    """`lax.scan` of `step(product, constants, carry, x) -> (carry, y)`.

    `product(name, x)` is `x @ kernels[name]`; a step uses each kernel at most once.
    rematerialize: recompute the steps in the backward pass.
    """

    def body(carry, x):
        return step(lambda name, value: value @ kernels[name], constants, carry, x)

    return jax.lax.scan(body, carry, inputs)


def _forward(step, rematerialize, kernels, constants, carry, inputs):
    def body(constants, carry, x, taps):
        factors = {}

        def product(name: str, value: Array) -> Array:
            factors[name] = value
            return _tap(value @ kernels[name], taps[name])

        carry, y = step(product, constants, carry, x)
        return carry, (y, factors)

    if rematerialize:
        body = jax.checkpoint(body)

    def scan(taps, constants, carry, inputs):
        carry, (ys, factors) = jax.lax.scan(
            lambda carry, x: body(constants, carry, *x), carry, (inputs, taps)
        )
        return (carry, ys), factors

    taps = _zero_taps(step, kernels, constants, carry, inputs)
    outputs, backward, factors = jax.vjp(scan, taps, constants, carry, inputs, has_aux=True)
    return outputs, (backward, factors)


def _backward(step, rematerialize, residuals, gradient):
    backward, factors = residuals
    taps, constants, carry, inputs = backward(gradient)
    kernels = {name: _flat(factors[name]).T @ _flat(taps[name]) for name in taps}
    return kernels, constants, carry, inputs


hoisted_scan.defvjp(_forward, _backward)


@jax.custom_vjp
def _tap(value: Array, tap: Array) -> Array:
    """`value`; its gradient also becomes the tap's, which the scan stacks step by step."""
    return value


_tap.defvjp(lambda value, tap: (value, None), lambda _, gradient: (gradient, gradient))


def _zero_taps(step, kernels, constants, carry, inputs) -> Kernels:
    """One all-zero array a kernel, shaped as its products over all steps."""

    def products(constants, carry, x):
        outputs = {}

        def product(name: str, value: Array) -> Array:
            outputs[name] = value @ kernels[name]
            return outputs[name]

        step(product, constants, carry, x)
        return outputs

    first = jax.tree.map(lambda leaf: leaf[0], inputs)
    shapes = jax.eval_shape(products, constants, carry, first)
    steps = jax.tree.leaves(inputs)[0].shape[0]
    return {name: jnp.zeros((steps, *s.shape), s.dtype) for name, s in shapes.items()}


def _flat(x: Array) -> Array:
    return x.reshape(-1, x.shape[-1])
