"""Windows around a centre that is no whole number."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

Window = tuple[Int[Array, "B K"], Int[Array, "B K"]]
"""First and last position, both included."""


def window_around(
    centre: Float[Array, "B K"],
    half_width: Float[Array, "B K"] | float,
    lengths: Int[Array, " B"],
    inside: Callable[[Float[Array, "B K"]], Bool[Array, "B K"]],
) -> Window:
    """First and last position of the sentence near a centre; always the nearest one.

    inside: whether a position belongs to it. It decides; half_width may be off by rounding.
    """
    end = lengths[:, None].astype(centre.dtype) - 1
    first = jnp.ceil(jnp.clip(centre - half_width, -1, end + 1))
    last = jnp.floor(jnp.clip(centre + half_width, -1, end + 1))
    first = jnp.where(inside(first - 1), first - 1, jnp.where(inside(first), first, first + 1))
    last = jnp.where(inside(last + 1), last + 1, jnp.where(inside(last), last, last - 1))
    first, last = jnp.maximum(first, 0), jnp.minimum(last, end)
    nearest = jnp.clip(jnp.round(centre), 0, jnp.maximum(end, 0))
    empty = first > last
    first, last = (jnp.where(empty, nearest, x).astype(lengths.dtype) for x in (first, last))
    return first, last


def window_within(
    centre: Float[Array, "B K"], half_width: int, lengths: Int[Array, " B"]
) -> Window:
    """`|s − centre| ≤ half_width`, in whole positions of the sentence."""
    centre = jax.lax.stop_gradient(centre)
    near = lambda s: jnp.abs(s - centre) <= half_width  # noqa: E731
    return window_around(centre, float(half_width), lengths, near)


def window_mask(
    first: Int[Array, "B K"], last: Int[Array, "B K"], length: int
) -> Bool[Array, "B K S"]:
    """True in the window."""
    index = jnp.arange(length)[None, None]
    return (index >= first[..., None]) & (index <= last[..., None])
