"""Flexible attention (Shu and Nakayama 2017): the public function.

One decoder step: how strongly to penalise distance from the last focus (Eq. 8), the penalty
(Eqs. 5, 6), the window that the threshold leaves (3.1), weights (Eq. 7), context (Eq. 1), focus
(Eq. 4).
"""

from collections.abc import Callable
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Float, Int, PRNGKeyArray

from fa_jax.attention import score, span
from fa_jax.attention.dense import dense_scores
from fa_jax.attention.memory import Memory, positions
from fa_jax.attention.params import Params
from fa_jax.attention.windowed import windowed_scores

Implementation = Literal["dense", "windowed"]

IMPLEMENTATIONS: dict[str, Callable] = {"dense": dense_scores, "windowed": windowed_scores}

WINDOWED_FROM_LENGTH = 128
"""Below it, packing costs more than the scores it saves (`experiments/attention_step.py`)."""


@struct.dataclass
class FlexibleAttentionOutput:
    """One step of attention. B sentences, optionally K queries (hypotheses) each.

    context: c_t. weights: a_t, exactly 0 outside the window and on padding. focus: p_t, to hand
    back in at the next step, in source positions. strength: g(t), 0 to 1. window: number of
    positions whose score was computed.
    """

    context: Float[Array, "B *K D"]
    weights: Float[Array, "B *K S"]
    focus: Float[Array, "B *K"]
    strength: Float[Array, "B *K"]
    window: Int[Array, "B *K"]


def init_flexible_attention(
    key: PRNGKeyArray,
    *,
    query_size: int,
    memory_size: int,
    feedback_size: int,
    attention_size: int,
) -> Params:
    """Parameters of `flexible_attention`: a plain nested dict of float32 arrays.

    Args:
      key: JAX random key.
      query_size: H, units of the decoder state.
      memory_size: D, units of an annotation.
      feedback_size: E, units of the embedding of the word fed back.
      attention_size: A, hidden units of the score and strength networks.

    Returns:
      `score.query_kernel [H,A]`, `score.memory_kernel [D,A]`, `score.vector [A]`,
      `strength.kernel [H+E,A]` (rows: query first, then feedback), `strength.vector [A]`,
      `strength.bias []`. The bias starts at -4, so that training starts as global attention;
      a bias of -inf is global attention (VS Eq. 2).

    Raises:
      ValueError: a size is not positive.
    """
    sizes = {
        "query_size": query_size,
        "memory_size": memory_size,
        "feedback_size": feedback_size,
        "attention_size": attention_size,
    }
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    score_key, strength_key = jax.random.split(key)
    return {
        "score": score.init_score(score_key, query_size, memory_size, attention_size),
        "strength": span.init_strength(strength_key, query_size, feedback_size, attention_size),
    }


def prepare_memory(
    params: Params, annotations: Float[Array, "B S D"], lengths: Int[Array, " B"]
) -> Memory:
    """Computes what does not change from step to step, once a sentence.

    Args:
      params: from `init_flexible_attention`.
      annotations: encoder states h̄_s, padded to a common length.
      lengths: each sentence's own length, 0 to S.

    Raises:
      ValueError, TypeError: a shape or dtype does not fit; the message names the argument.
    """
    memory_size = params["score"]["memory_kernel"].shape[0]
    _check_array("annotations", annotations, (None, None, memory_size), jnp.floating)
    _check_array("lengths", lengths, annotations.shape[:1], jnp.integer)
    return Memory(annotations, score.score_keys(params["score"], annotations), lengths)


def flexible_attention(
    params: Params,
    query: Float[Array, "B *K H"],
    feedback: Float[Array, "B *K E"],
    focus: Float[Array, "B *K"],
    memory: Memory,
    *,
    sigma: float | Float[Array, ""] = 1.5,
    threshold: float | Float[Array, ""] = np.inf,
    implementation: Implementation | None = None,
) -> FlexibleAttentionOutput:
    """One step of flexible attention (VS Eqs. 1 to 8). Pure; works under every JAX transformation.

    With `threshold=inf` it is Eq. 7; with strength 0 besides, global attention, Eq. 2. Beam
    search may hand in several queries a sentence, [B, K, H]: they share the sentence's memory.

    Args:
      params: from `init_flexible_attention`.
      query: the decoder state before the step, h_{t-1}.
      feedback: embedding of the word fed back, i_t.
      focus: p_{t-1}, in source positions counted from 0; 0.0 before the first step.
      memory: from `prepare_memory`.
      sigma: width σ of the penalty, in positions (Eq. 6).
      threshold: τ; positions penalised this much or more are not scored (VS 3.1). The position
        nearest to the focus always is.
      implementation: "dense" scores all positions and masks (training), "windowed" computes only
        the scores that the windows need (decoding), None picks. All agree to rounding.

    Returns:
      A `FlexibleAttentionOutput`.

    Raises:
      ValueError, TypeError: at trace time, naming the argument: a shape or dtype that does not
        fit, a sigma or threshold that is not positive, an unknown implementation.
    """
    _check_step(params, query, feedback, focus, memory)
    _check_positive("sigma", sigma)
    _check_positive("threshold", threshold)
    strength_hidden = span.strength_query(params["strength"], query) + span.strength_feedback(
        params["strength"], feedback
    )
    return attend_projected(
        params,
        score.score_query(params["score"], query),
        strength_hidden,
        focus,
        memory,
        sigma=sigma,
        threshold=threshold,
        implementation=implementation,
    )


def attend_projected(
    params: Params,
    score_query: Float[Array, "B *K A"],
    strength_hidden: Float[Array, "B *K A"],
    focus: Float[Array, "B *K"],
    memory: Memory,
    *,
    sigma: float | Float[Array, ""],
    threshold: float | Float[Array, ""],
    implementation: Implementation | None,
) -> FlexibleAttentionOutput:
    """`flexible_attention` behind its products, for a decoder that fuses them with its own.

    score_query: the query's part of the score, `score.score_query`. strength_hidden:
    `W_g [h_{t-1}; i_t]`, the sum of `span.strength_query` and `span.strength_feedback`.
    """
    evaluate = IMPLEMENTATIONS[_choose(implementation, threshold, memory.keys.shape[1])]
    hypotheses = focus.shape[1:]
    focus = focus.astype(jnp.promote_types(focus.dtype, jnp.float32))
    score_query, strength_hidden, focus = (
        x.reshape(x.shape[0], -1, *x.shape[1 + len(hypotheses) :])
        for x in (score_query, strength_hidden, focus)
    )

    strength = span.strength(params["strength"], strength_hidden)
    penalty = span.penalty(strength, focus, positions(memory), sigma)
    window = span.window(penalty, threshold, focus, memory.lengths)
    scores = evaluate(params["score"]["vector"], score_query, memory.keys, window)
    # A sentence of length 0 has no window: its weights are 0, not NaN.
    weights = jax.nn.softmax(scores - penalty, where=window)
    annotations = memory.annotations
    output = FlexibleAttentionOutput(
        context=jnp.einsum("bks,bsd->bkd", weights.astype(annotations.dtype), annotations),
        weights=weights,
        focus=span.focus(weights, positions(memory)),
        strength=strength,
        window=window.sum(-1, dtype=jnp.int32),
    )
    return jax.tree.map(lambda x: x.reshape(x.shape[0], *hypotheses, *x.shape[2:]), output)


def _choose(implementation: str | None, threshold: float | Array, length: int) -> str:
    if implementation is None:
        everything = isinstance(threshold, (int, float)) and np.isinf(threshold)
        return "dense" if everything or length < WINDOWED_FROM_LENGTH else "windowed"
    if implementation not in IMPLEMENTATIONS:
        allowed = ", ".join(map(repr, IMPLEMENTATIONS))
        raise ValueError(f"implementation must be None or one of {allowed}, got {implementation!r}")
    return implementation


def _check_step(params: Params, query: Array, feedback: Array, focus: Array, memory: Memory):
    query_size = params["score"]["query_kernel"].shape[0]
    feedback_size = params["strength"]["kernel"].shape[0] - query_size
    sentences = memory.keys.shape[0]
    if query.ndim not in (2, 3):
        raise ValueError(f"query must be [B, H] or [B, K, H], got shape {query.shape}")
    leading = (sentences, *query.shape[1:-1])
    _check_array("query", query, (*leading, query_size), jnp.floating)
    _check_array("feedback", feedback, (*leading, feedback_size), jnp.floating)
    _check_array("focus", focus, leading, jnp.floating)


def _check_array(name: str, array: Array, shape: tuple[int | None, ...], kind: type):
    if not hasattr(array, "dtype") or not jnp.issubdtype(array.dtype, kind):
        found = getattr(array, "dtype", type(array).__name__)
        raise TypeError(f"{name} must be an array of {kind.__name__} numbers, got {found}")
    fits = len(array.shape) == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, array.shape)
    )
    if not fits:
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} must have shape [{wanted}], got {list(array.shape)}")


def _check_positive(name: str, value: float | Array):
    if isinstance(value, jax.core.Tracer):
        return  # its value is not known yet
    if np.ndim(value) != 0:
        raise ValueError(f"{name} must be a single number, got shape {np.shape(value)}")
    if not value > 0:
        raise ValueError(f"{name} must be greater than 0, got {value}")
