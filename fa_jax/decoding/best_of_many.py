"""The largest of very many numbers, such as the scores of all continuations of a beam."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

GROUP = 64
"""Numbers whose maximum is looked at first. XLA's top_k goes through a row number by number, while
maxima are taken of many at once: a fifth of the time for 20,000 numbers on a CPU."""


def best_of_many(
    x: Float[Array, "B N"], count: int
) -> tuple[Float[Array, "B count"], Int[Array, "B count"]]:
    """What `jax.lax.top_k` gives: the largest numbers of each row, largest first, and where they
    are; of equal ones those that come first.

    The `count` largest lie in the `count` groups with the largest maxima.
    """
    rows, size = x.shape
    groups = size // GROUP
    if groups <= count:
        return tuple(jax.lax.top_k(x, count))
    grouped, rest = x[:, : groups * GROUP].reshape(rows, groups, GROUP), x[:, groups * GROUP :]
    _, chosen = jax.lax.top_k(grouped.max(-1), count)
    chosen = jnp.sort(chosen, axis=1)  # so that of equal numbers the first one stays the first
    some = jnp.take_along_axis(grouped, chosen[..., None], axis=1).reshape(rows, -1)
    best, place = jax.lax.top_k(jnp.concatenate([some, rest], axis=1), count)
    starts = jnp.concatenate([chosen, jnp.full((rows, 1), groups)], axis=1) * GROUP
    group = jnp.minimum(place // GROUP, count)
    return best, jnp.take_along_axis(starts, group, axis=1) + place - group * GROUP
