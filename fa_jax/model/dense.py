"""Linear layers. Products are as precise as their inputs, or rounded (`product.py`)."""

import jax.numpy as jnp
from flax.linen import initializers
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray

from fa_jax.attention.params import Params
from fa_jax.model.product import rounded_product, rounds


def init_dense(key: PRNGKeyArray, input_size: int, size: int, bias: float = 0.0) -> Params:
    """A layer's kernel [I, J], after Glorot, and bias [J], which starts as given."""
    kernel = initializers.glorot_uniform()(key, (input_size, size))
    return {"kernel": kernel, "bias": jnp.full(size, bias)}


def dense(
    x: Float[Array, "*N I"],
    kernel: Float[Array, "I J"],
    bias: Float[Array, " J"] | float = 0.0,
    dtype: DTypeLike | None = None,
) -> Float[Array, "*N J"]:
    """`x · kernel + bias`, from factors as precise as x, or rounded.

    dtype: of the result; None: that of x.
    On a CPU the gradient of a flat product is twice as fast.
    """
    dtype = dtype or x.dtype
    flat, kernel = x.reshape(-1, x.shape[-1]), kernel.astype(x.dtype)
    if rounds(flat):
        sums = rounded_product(flat, kernel) + bias
    else:
        sums = jnp.matmul(flat, kernel, preferred_element_type=dtype) + bias
    return sums.astype(dtype).reshape(*x.shape[:-1], -1)
