"""Products of one input with several kernels, as one product with the kernels side by side."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

Kernels = dict[str, tuple[Float[Array, "_ _"] | None, ...]]
"""By the name of the input that they read. None: that reader has no kernel."""
Product = Callable[[str, Float[Array, "*N _"]], Float[Array, "*N _"]]
Products = Callable[..., tuple[Float[Array, "*N _"] | None, ...]]
"""`products(name, x, y, …)`: what each kernel of that name makes of [x; y; …]; None where it is
None."""


def fuse(kernels: Kernels) -> dict[str, Float[Array, "_ _"]]:
    """One kernel for each input that is read."""
    present = {name: [k for k in of if k is not None] for name, of in kernels.items()}
    return {name: jnp.concatenate(of, axis=1) for name, of in present.items() if of}


def fused_products(kernels: Kernels, product: Product) -> Products:
    """The products of one step. kernels: only their shapes are read. product: `product(name, x)` is
    `x @ fuse(kernels)[name]`."""

    def products(name: str, *inputs: Array) -> tuple[Array | None, ...]:
        widths = [0 if kernel is None else kernel.shape[1] for kernel in kernels[name]]
        if not any(widths):
            return (None,) * len(widths)
        sums = product(name, jnp.concatenate(inputs, axis=-1))
        parts = jnp.split(sums, np.cumsum(widths)[:-1], axis=-1)
        return tuple(part if width else None for part, width in zip(parts, widths, strict=True))

    return products
