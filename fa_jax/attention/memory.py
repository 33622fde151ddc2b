"""What attention reads: a sentence's annotations, and their keys, computed once a sentence."""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int


@struct.dataclass
class Memory:
    """The source side of attention; a pytree.

    annotations: encoder states h̄_s. keys: the memory part of `W_a` times each h̄_s, "precomputed
    and cached before decoding" (VS 5.5). lengths: positions that are no padding, a sentence.
    """

    annotations: Float[Array, "B S D"]
    keys: Float[Array, "B S A"]
    lengths: Int[Array, " B"]


def positions(memory: Memory) -> Float[Array, " S"]:
    """0-based source positions, as real numbers: distances from the focus are real."""
    return jnp.arange(memory.keys.shape[1], dtype=jnp.float32)


def inside_sentence(memory: Memory) -> Bool[Array, "B 1 S"]:
    """True on a sentence's own positions, False on padding."""
    index = jnp.arange(memory.keys.shape[1])
    return (index < memory.lengths[:, None])[:, None, :]


def gather_sentences(memory: Memory, rows: Int[Array, " N"]) -> Memory:
    """The memory of the chosen sentences."""
    return jax.tree.map(lambda leaf: leaf[rows], memory)
