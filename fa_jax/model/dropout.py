"""Dropout as a pure function, drawn sentence by sentence: no result depends on a neighbour."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key


def dropout(
    x: Float[Array, "T B U"], rate: float, keys: Key[Array, " B"] | None
) -> Float[Array, "T B U"]:
    """Zeroes a share of the units, `rate`, and scales the others up; no keys: leaves x as it is.

    keys: one a sentence, which alone decides what is zeroed at all its T positions.
    """
    if keys is None or rate == 0:
        return x
    steps, _, units = x.shape
    keep = jax.vmap(lambda key: jax.random.bernoulli(key, 1 - rate, (steps, units)), out_axes=1)
    return jnp.where(keep(keys), x / (1 - rate), 0)


def split_keys(keys: Key[Array, " B"] | None, count: int) -> tuple[Key[Array, " B"] | None, ...]:
    """Independent keys for several layers, one a sentence each."""
    if keys is None:
        return (None,) * count
    return tuple(jax.vmap(lambda key: jax.random.split(key, count), out_axes=1)(keys))
