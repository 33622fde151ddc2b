"""Products of the layers outside of attention. Their factors may be rounded.

JAX's default precision says whether. A TPU rounds factors to bfloat16 by itself. XLA on a CPU does
not, even where the CPU multiplies them at twice the rate, so it is written out here.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

ROUNDED = "bfloat16"
"""JAX's name for the precision of products whose factors may be rounded."""


def contract(axes: str, x: Float[Array, "..."], y: Float[Array, "..."]) -> Float[Array, "..."]:
    """`einsum` of two factors of one precision, summed in float32 at least."""
    if rounds(x):
        x, y = x.astype(jnp.bfloat16), y.astype(jnp.bfloat16)
    return jnp.einsum(axes, x, y, preferred_element_type=jnp.promote_types(x.dtype, jnp.float32))


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
