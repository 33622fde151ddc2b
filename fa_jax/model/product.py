"""Linear layers and other products outside of attention. Their factors may be rounded.

JAX's default precision says whether. A TPU rounds factors to bfloat16 by itself. XLA on a CPU does
not, even where the CPU multiplies them at twice the rate, so it is written out here.
"""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray

from fa_jax.attention.score import at_least_float32, glorot
from fa_jax.attention.step import Params

ROUNDED = "bfloat16"
"""JAX's name for the precision of products whose factors may be rounded."""


def contract(axes: str, x: Float[Array, "..."], y: Float[Array, "..."]) -> Float[Array, "..."]:
    """`einsum` of two factors of one precision, summed in float32 at least."""
    if rounds(x):
        x, y = x.astype(jnp.bfloat16), y.astype(jnp.bfloat16)
    return jnp.einsum(axes, x, y, preferred_element_type=at_least_float32(x).dtype)


def rounds(x: Float[Array, "..."]) -> bool:
    """Whether `contract` rounds this factor: float32 where the default precision is `ROUNDED`."""
    return x.dtype == jnp.float32 and jax.config.jax_default_matmul_precision == ROUNDED


@jax.custom_vjp
def rounded_product(x: Float[Array, "N I"], kernel: Float[Array, "I J"]) -> Float[Array, "N J"]:
    """`x · kernel` by `contract`, and so are both gradients."""
    return contract("ni,ij->nj", x, kernel)


def kernel_gradient(x: Float[Array, "N I"], gradient: Float[Array, "N J"]) -> Float[Array, "I J"]:
    """The gradient of `x · kernel`'s kernel, from that of the product.

    It sums over two axes, one of length 1: then XLA on a CPU transposes x. If it summed over one,
    XLA would multiply the rounded factors in float32.
    """
    return contract("abi,abj->ij", x[None], gradient[None])


def _backward(factors, gradient):
    x, kernel = factors
    return contract("nj,ij->ni", gradient, kernel), kernel_gradient(x, gradient)


rounded_product.defvjp(lambda *factors: (rounded_product(*factors), factors), _backward)


def init_dense(key: PRNGKeyArray, input_size: int, size: int, bias: float = 0.0) -> Params:
    """A layer's kernel [I, J], after Glorot, and bias [J], which starts as given."""
    return {"kernel": glorot(key, input_size, size), "bias": jnp.full(size, bias)}


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
        product = rounded_product(flat, kernel)
    else:
        product = jnp.matmul(flat, kernel, preferred_element_type=dtype)
    bias = jnp.reshape(bias, (1, -1))
    if bias.dtype != product.dtype:
        product, bias = at_least_float32(product), at_least_float32(bias)
    return (product + bias).astype(dtype).reshape(*x.shape[:-1], -1)
