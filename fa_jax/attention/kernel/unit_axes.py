"""A function of arrays with many axes of one, evaluated on scalars and vectors.

Mosaic for GPUs lowers no product of matrices but large ones, and few shapes. A row's block of one
position needs neither: without their axes of one its arrays are scalars and vectors.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Jaxpr, JaxprEqn, Literal
from jaxtyping import Array, PyTree


def without_unit_axes(function: Callable[..., PyTree], *like: PyTree) -> Callable[..., PyTree]:
    """The same function; what it takes and returns lacks axes of one.

    like: its inputs as they would be with those axes.

    Raises:
      NotImplementedError: an array on the way has two axes or more that are longer.
    """
    closed, out = jax.make_jaxpr(function, return_shape=True)(*like)

    def evaluate(*inputs: PyTree) -> PyTree:
        found = _evaluate(closed.jaxpr, closed.consts, jax.tree.leaves(inputs))
        return jax.tree.unflatten(jax.tree.structure(out), found)

    return evaluate


def _evaluate(jaxpr: Jaxpr, consts: list[Any], inputs: list[Any]) -> list[Any]:
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *inputs], strict=True))
    read = lambda x: x.val if isinstance(x, Literal) else values[x]  # noqa: E731
    for equation in jaxpr.eqns:
        found = _result(equation, [read(x) for x in equation.invars])
        values |= zip(equation.outvars, found, strict=True)
    return [read(x) for x in jaxpr.outvars]


def _result(equation: JaxprEqn, inputs: list[Any]) -> list[Any]:
    name, params, out = equation.primitive.name, equation.params, equation.outvars[0].aval
    called = params.get("jaxpr", params.get("call_jaxpr"))
    if called is not None:
        return _evaluate(called.jaxpr, called.consts, inputs)
    if name in _SHAPES:
        return [jnp.broadcast_to(inputs[0], _shape(out))]
    if name == "iota":
        return [jnp.zeros(_shape(out, axes=0), out.dtype)]
    if name == "dot_general":
        return [_product(equation, *inputs)]
    if "axes" in params:
        if _shape(equation.invars[0].aval) == _shape(out):
            return inputs
        return [equation.primitive.bind(*inputs, **params | {"axes": (0,)})]
    found = equation.primitive.bind(*inputs, **params)
    return found if equation.primitive.multiple_results else [found]


_SHAPES = {"broadcast_in_dim", "expand_dims", "reshape", "squeeze", "transpose"}


def _shape(aval: Any, axes: int = 1) -> tuple[int, ...]:
    shape = tuple(size for size in aval.shape if size > 1)
    if len(shape) > axes:
        raise NotImplementedError(f"{aval} has more than {axes} axes that are longer than one")
    return shape


def _product(equation: JaxprEqn, left: Array, right: Array) -> Array:
    """A product of a vector and a vector, or with a scalar."""
    out, first = equation.outvars[0].aval, equation.invars[0].aval
    (contracted, _), _ = equation.params["dimension_numbers"]
    product = left.astype(out.dtype) * right.astype(out.dtype)
    return product if all(first.shape[axis] == 1 for axis in contracted) else product.sum()
