"""A function whose products with vectors are sums of products of single numbers.

A GPU's instructions for products want sixteen rows at least. A kernel that reads one query against
a tile of positions has one row.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal
from jaxtyping import Array, PyTree

CALLS = ("jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call")
"""JAX's operations that call another function."""


def products_as_sums(function: Callable[..., PyTree]) -> Callable[..., PyTree]:
    """The same function of arrays. It raises NotImplementedError if it multiplies matrices."""

    def summed(*inputs: PyTree) -> PyTree:
        closed, like = jax.make_jaxpr(function, return_shape=True)(*inputs)
        found = _computed(closed, jax.tree.leaves(inputs))
        return jax.tree.unflatten(jax.tree.structure(like), found)

    return summed


def _computed(closed: ClosedJaxpr | Jaxpr, inputs: Sequence[Array]) -> list[Array]:
    jaxpr = getattr(closed, "jaxpr", closed)
    known = dict(zip(jaxpr.constvars, getattr(closed, "consts", ()), strict=True))
    known |= zip(jaxpr.invars, inputs, strict=True)

    def value(x: Any) -> Array:
        return x.val if isinstance(x, Literal) else known[x]

    for equation in jaxpr.eqns:
        operation, parameters = equation.primitive, equation.params
        values = [value(x) for x in equation.invars]
        if operation.name == "dot_general":
            shape = equation.outvars[0].aval.shape
            found = [_sum_of_products(*values, parameters["dimension_numbers"], shape)]
        elif operation.name in CALLS:
            (inner,) = (p for p in parameters.values() if isinstance(p, ClosedJaxpr | Jaxpr))
            found = _computed(inner, values)
        else:
            found = operation.bind(*values, **parameters)
            found = found if operation.multiple_results else [found]
        known |= zip(equation.outvars, found, strict=True)
    return [value(x) for x in jaxpr.outvars]


def _sum_of_products(left: Array, right: Array, axes: Any, shape: tuple[int, ...]) -> Array:
    """`dot_general`. Axes of size 1 count for nothing. Of the others, one side must have all that
    the other has; or none is summed over, and none is shared."""
    (summed, batch), names = axes, []
    for side, x in enumerate((left, right)):
        name = {axis: f"sum {i}" for i, axis in enumerate(summed[side])}
        name |= {axis: f"batch {i}" for i, axis in enumerate(batch[side])}
        names.append([name.get(i, f"{side} {i}") for i, n in enumerate(x.shape) if n > 1])
    left, right = (jnp.squeeze(x).astype(jnp.float32) for x in (left, right))
    both = [name for name in names[0] if name in names[1]]
    if not both:
        left = left.reshape(left.shape + (1,) * right.ndim)
        return (left * right.reshape((1,) * (left.ndim - right.ndim) + right.shape)).reshape(shape)
    if both not in names or [name for name in names[1] if name in names[0]] != both:
        raise NotImplementedError("a product of matrices")
    (large, of_large), (small, _) = sorted(
        zip((left, right), names, strict=True), key=lambda side: -len(side[1])
    )
    beside = [n if name in both else 1 for n, name in zip(large.shape, of_large, strict=True)]
    product = large * small.reshape(beside)
    total = product.sum([i for i, name in enumerate(of_large) if name.startswith("sum")])
    return total.reshape(shape)
