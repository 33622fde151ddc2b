"""What attention reads: a sentence's annotations, and their keys, computed once a sentence."""

from flax import struct
from jaxtyping import Array, Float, Int, PyTree


@struct.dataclass
class Memory:
    """The source side of attention; a pytree.

    annotations: encoder states h̄_s. keys: the score's memory part, leaves [B, S, ...],
    "precomputed and cached before decoding" (VS 5.5). lengths: positions that are no padding.
    """

    annotations: Float[Array, "B S D"]
    keys: PyTree
    lengths: Int[Array, " B"]
