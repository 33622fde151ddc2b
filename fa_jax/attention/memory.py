"""What attention reads: a sentence's annotations, and their keys, computed once a sentence."""

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int, PyTree


@struct.dataclass
class Memory:
    """The source side of attention; a pytree.

    annotations: encoder states h̄_s. keys: the score's memory part, leaves [B, S, ...],
    "precomputed and cached before decoding" (VS 5.5), or a summary's. lengths: positions that are
    no padding. span_keys: the span's memory part, if it reads annotations.
    """

    annotations: Float[Array, "B S D"]
    keys: PyTree
    lengths: Int[Array, " B"]
    span_keys: PyTree = ()

    @property
    def positions(self) -> Float[Array, " S"]:
        """0, 1, 2 ..."""
        return jnp.arange(self.annotations.shape[1], dtype=jnp.float32)
