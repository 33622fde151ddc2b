"""One product is the products with each kernel."""

import jax.numpy as jnp
import numpy as np

from fa_jax.model.fused import fuse, fused_products


def test_each_kernel_has_its_product_and_none_has_none():
    x, y = jnp.arange(6.0).reshape(2, 3), jnp.ones((2, 1))
    first, second = jnp.ones((4, 2)), jnp.arange(20.0).reshape(4, 5)
    kernels = {"some": (first, None, second), "none": (None, None)}
    fused, calls = fuse(kernels), []

    def product(name, x):
        calls.append(name)
        return x @ fused[name]

    products = fused_products(kernels, product)
    of_first, missing, of_second = products("some", x, y)
    both = jnp.concatenate([x, y], axis=1)
    np.testing.assert_array_equal(of_first, both @ first)
    np.testing.assert_array_equal(of_second, both @ second)
    assert missing is None
    assert products("none", x) == (None, None)
    assert calls == ["some"]
