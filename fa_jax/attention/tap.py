"""Taps: zeros that are there for their gradient, which is that of something else.

Transposed, a scan adds to a constant's gradient a whole array a step. A tap takes another way: it
goes into the scan beside the constant, and brings back what the steps have to add.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def tap(
    zeros: Callable[[Array], PyTree],
    gradient: Callable[[PyTree, Array], Array],
    x: Float[Array, "..."],
) -> PyTree:
    """Zeros in place of x, which keeps no other gradient.

    zeros: what they are, of x. gradient: x's, of theirs and x.
    They are x's in name, too: `vmap` gives each example its own only so.
    """
    total = jnp.sum(x)
    return jax.tree.map(lambda leaf: jnp.where(False, total.astype(leaf.dtype), leaf), zeros(x))


def _backward(zeros, gradient, x, of_zeros):
    return (gradient(of_zeros, x).astype(x.dtype),)


tap.defvjp(lambda zeros, gradient, x: (tap(zeros, gradient, x), x), _backward)
