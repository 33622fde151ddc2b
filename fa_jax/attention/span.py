"""What a span is: which positions count, and with what prior?

A span is a value, as a score is. At each step it turns its state (where attention was, how many
steps there were) into a reach: the positions that are scored, and what is added to their scores.
"""

import jax
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

    window: positions whose score is computed. bias: added to scores before the softmax. factor:
    multiplies the weights behind it. strength: g(t); 0 where a span has none. extent: z(t), what
    training pays for, in positions; 0 where a span has none. state: the span's own, for the next
    step.
    """

    window: Bool[Array, "B K S"]
    bias: Float[Array, "B K S"] | float = 0.0
    factor: Float[Array, "B K S"] | float = 1.0
    strength: Float[Array, "B K"] | float = 0.0
    extent: Float[Array, "B K"] | float = 0.0
    state: PyTree = ()


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

    def weigh(self, scores: Float[Array, "B K S"], reach: Reach) -> Float[Array, "B K S"]:
        """Weights: the softmax over the window alone, exactly 0 elsewhere.

        A sentence of length 0 has none.
        """
        return jax.nn.softmax(scores + reach.bias, where=reach.window) * reach.factor


def inside(
    chosen: Bool[Array, "B K S"], centre: Float[Array, "B K"], lengths: Int[Array, " B"]
) -> Bool[Array, "B K S"]:
    """The chosen positions of the sentence, and always the one nearest to the centre."""
    index = jnp.arange(chosen.shape[-1])
    last = lengths[:, None] - 1
    nearest = jnp.clip(jnp.round(centre), 0, jnp.maximum(last, 0)).astype(lengths.dtype)
    return (chosen | (index == nearest[..., None])) & (index <= last[..., None])
