"""One product is the products with each kernel."""

import jax.numpy as jnp
import numpy as np

from fa_jax.model.fused import fuse, fused_products


def test_each_kernel_has_its_product_and_none_has_none():
    x, y = jnp.arange(6.0).reshape(2, 3), jnp.ones((2, 1))
    first, second = jnp.ones((4, 2)), jnp.arange(20.0).reshape(4, 5)
    kernels = {"both": {"second": second, "first": first}, "none": {}}
    fused, calls = fuse(kernels), []

    def product(name, x):
        calls.append(name)
        return x @ fused[name]

    products = fused_products(kernels, product)
    found = products("both", x, y)
    both = jnp.concatenate([x, y], axis=1)
    np.testing.assert_array_equal(found["first"], both @ first)
    np.testing.assert_array_equal(found["second"], both @ second)
    assert products("none", x) == {}
    assert calls == ["both"]
