"""What a step of attention starts from."""

from flax import struct
from jaxtyping import Array, Float, Int, PyTree

from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params


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
class Step:
    """What is known when a step begins; score and span decide the rest.

    params: the attention's; a score's stand under "score", a span's beside it. query, span_query:
    what the kernels of score and span made of query and feedback; None: they read neither.
    threshold: τ, for spans that penalise.
    """

    params: Params
    query: Float[Array, "B K Q"]
    span_query: Float[Array, "B K P"] | None
    state: AttentionState
    memory: Memory
    threshold: float | Float[Array, ""]
