"""What a span is: which positions count, and with what prior?

A span is a value, as a score is. At each step it turns its state (where attention was, how many
steps there were) into a reach: the window of positions that are scored, and a prior over them.
"""

from collections.abc import Callable

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray, PyTree

from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.score import Kernels, Sizes


@struct.dataclass
class AttentionState:
    """What one step hands to the next.

    focus: p_t, in positions from 0. step: t, from 0. score, span: what the score's positions and
    the span remember; () for most.
    """

    focus: Float[Array, "B *K"]
    step: Int[Array, "B *K"]
    score: PyTree = ()
    span: PyTree = ()


@struct.dataclass
class Reach:
    """What a span decides for one step.

    first, last: the window, both included; the positions whose score is computed. What lies
    outside the sentence does not count. prior: what the span's bias and factor are made of.
    strength: g(t); 0 where a span has none. extent: z(t), what training pays for, in positions; 0
    where a span has none. state: the span's own, for the next step. head: where a span only
    expects to be; its weights are then expectations over every position.
    """

    first: Int[Array, "B K"]
    last: Int[Array, "B K"]
    prior: PyTree = ()
    strength: Float[Array, "B K"] | float = 0.0
    extent: Float[Array, "B K"] | float = 0.0
    state: PyTree = ()
    head: Float[Array, "B K S"] | None = None


class Span:
    """Which positions count. Subclasses are frozen dataclasses: their settings.

    params is the attention's own: a span's entries stand beside "score".
    """

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        """Its parameters, by the names of their entries."""
        return {}

    def kernels(self, params: Params, query_size: int) -> Kernels:
        """What multiplies query [H, P] and feedback [E, P]; their products are added.

        None: it is not read.
        """
        return None, None

    def keys(self, params: Params, annotations: Float[Array, "B S D"]) -> PyTree:
        """What it reads of the annotations, computed once a sentence; leaves [B, S, ...]."""
        return ()

    def initial_state(self, sentences: int, length: int) -> PyTree:
        """Its own state before the first step; leaves [B, ...]."""
        return ()

    def narrows(self, threshold: float | Float[Array, ""]) -> bool:
        """Whether windows can be smaller than the sentence."""
        raise NotImplementedError

    def reach(
        self,
        params: Params,
        projected: Float[Array, "B K P"] | None,
        state: AttentionState,
        memory: Memory,
        threshold: float | Float[Array, ""],
        training_keys: Key[Array, " B"] | None,
    ) -> Reach:
        """The step's window and prior.

        projected: what the kernels made of query and feedback. threshold: τ, for spans that
        penalise. training_keys: given in training; a random key a sentence, the same at each step.
        """
        raise NotImplementedError

    def bias(
        self, prior: PyTree, positions: Float[Array, "N K P"]
    ) -> Float[Array, "N K P"] | float:
        """What is added to the scores of positions. prior: leaves [N, K, ...]."""
        return 0.0

    def factor(
        self, prior: PyTree, positions: Float[Array, "N K P"]
    ) -> Float[Array, "N K P"] | float:
        """What multiplies their weights behind the softmax."""
        return 1.0

    def expect(
        self, scores: Float[Array, "B K S"], window: Bool[Array, "B K S"], reach: Reach
    ) -> Float[Array, "B K S"]:
        """Weights in expectation over where the head is; for spans whose reach has one."""
        raise NotImplementedError


def window_around(
    centre: Float[Array, "B K"],
    half_width: Float[Array, "B K"] | float,
    lengths: Int[Array, " B"],
    inside: Callable[[Float[Array, "B K"]], Bool[Array, "B K"]],
) -> tuple[Int[Array, "B K"], Int[Array, "B K"]]:
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
