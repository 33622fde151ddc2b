"""What a step of attention starts from, and what its weights come to."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int, PyTree

Params = Mapping[str, Any]
"""A nested dict of arrays, or whatever reads like one (Flax's frozen dict)."""


@struct.dataclass
class Memory:
    """The source side of attention; a pytree.

    annotations: encoder states h̄_s. keys: the score's memory part, leaves [B, S, ...],
    "precomputed and cached before decoding" (VS 5.5). lengths: positions that are no padding.
    span_keys: the span's memory part, if it reads annotations. attention: the one that it was
    prepared for, as messages call it; "" where `prepare_memory` did not make it.
    """

    annotations: Float[Array, "B S D"]
    keys: PyTree
    lengths: Int[Array, " B"]
    span_keys: PyTree = ()
    attention: str = struct.field(pytree_node=False, default="")

    @property
    def positions(self) -> Float[Array, " S"]:
        """0, 1, 2 ..."""
        return jnp.arange(self.annotations.shape[1], dtype=jnp.float32)


@struct.dataclass
class AttentionState:
    """What one step hands to the next.

    focus: p_t, in positions from 0. step: t, from 0. score, span: what the score's positions and
    the span remember; () for most. taps: of `learn_in_windows`, zeros for annotations and keys,
    whose gradient is the memory's; () without it.
    """

    focus: Float[Array, "B *K"]
    step: Int[Array, "B *K"]
    score: PyTree = ()
    span: PyTree = ()
    taps: tuple[Float[Array, "B blocks block *X"], ...] = ()


@struct.dataclass
class Step:
    """What is known when a step begins; score and span decide the rest.

    params: the attention's; a score's stand under "score", a span's beside it. query: what the
    score's kernels made of query and feedback, or the query itself where it has none. span_query:
    what the span's kernels made of them; None where it has none. threshold: τ, for spans that
    penalise.
    """

    params: Params
    query: Float[Array, "B K Q"]
    span_query: Float[Array, "B K P"] | None
    state: AttentionState
    memory: Memory
    threshold: float | Float[Array, ""] | Float[Array, "B 1"]


@struct.dataclass
class Weighed:
    """What any implementation of a step comes to.

    context: c_t. focus: p_t. state: the score's, for the next step. weights: a_t, for each
    dimension where the score has them; None without details. taps: as they were; their gradient has
    something added.
    """

    context: Float[Array, "B K D"]
    focus: Float[Array, "B K"]
    state: PyTree
    weights: Float[Array, "B K S *D"] | None = None
    taps: tuple[Float[Array, "B blocks block *X"], ...] = ()
