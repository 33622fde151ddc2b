"""Products of one input with several kernels, as one product with the kernels side by side."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

Kernels = dict[str, dict[str, Float[Array, "_ _"]]]
"""By the name of the input that they read, and by who reads their products."""
Product = Callable[[str, Float[Array, "*N _"]], Float[Array, "*N _"]]
Products = Callable[..., dict[str, Float[Array, "*N _"]]]
"""`products(name, x, y, …)`: what each kernel of that name makes of [x; y; …]."""


def fuse(kernels: Kernels) -> dict[str, Float[Array, "_ _"]]:
    """One kernel for each input that is read."""
    return {name: jnp.concatenate([*of.values()], axis=1) for name, of in kernels.items() if of}


def fused_products(kernels: Kernels, product: Product) -> Products:
    """The products of one step. kernels: only their shapes are read. product: `product(name, x)` is
    `x @ fuse(kernels)[name]`."""

    def products(name: str, *inputs: Array) -> dict[str, Array]:
        if not kernels[name]:
            return {}
        ends = np.cumsum([kernel.shape[1] for kernel in kernels[name].values()])
        sums = product(name, jnp.concatenate(inputs, axis=-1))
        return dict(zip(kernels[name], jnp.split(sums, ends[:-1], axis=-1), strict=True))

    return products
