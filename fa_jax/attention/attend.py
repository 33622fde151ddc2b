"""One step of attention: a score under a span.

init_attention ─ params ─┬─ prepare_memory ─ memory ─┐
initial_attention_state ─┴────────── state ──────────┴─ attend ─ context, weights, next state
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from fa_jax.attention.checks import check_array, check_positive
from fa_jax.attention.dense import dense_scores
from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.score import Score, Sizes
from fa_jax.attention.scores import SCORES
from fa_jax.attention.span import AttentionState, Span, weigh
from fa_jax.attention.spans import SPANS
from fa_jax.attention.windowed import windowed_scores

Implementation = Literal["dense", "windowed"]

IMPLEMENTATIONS: dict[str, Callable] = {"dense": dense_scores, "windowed": windowed_scores}

WINDOWED_FROM_LENGTH = 128
"""Below it, packing costs more than the scores it saves (`experiments/attention_step.py`)."""

Parts = tuple[Array | None, Array | None]
"""What the score and the span read of query and feedback; None where it is nothing."""


@dataclass(frozen=True)
class AttentionConfig:
    """Which attention: names of `SCORES` and `SPANS`, or values of one's own, and settings.

    sigma: width of the flexible span's penalty, in positions. half_width: D of the local spans.
    positions: the location score's longest sentence. slices: of the tensor score.

    Raises:
      ValueError: an unknown name, a setting that is not positive.
    """

    score: str | Score = "concat"
    span: str | Span = "flexible"
    sigma: float | Float[Array, ""] = 1.5
    half_width: int = 10
    positions: int = 1024
    slices: int = 4

    def __post_init__(self):
        for name in ("sigma", "half_width", "positions", "slices"):
            check_positive(name, getattr(self, name))
        self.parts()

    def parts(self) -> tuple[Score, Span]:
        """Score and span as values."""
        return self._value("score", SCORES), self._value("span", SPANS)

    def _value(self, role: str, known: dict[str, type]) -> Any:
        chosen = getattr(self, role)
        if not isinstance(chosen, str):
            return chosen
        if chosen not in known:
            raise ValueError(f"unknown {role} {chosen!r}: choose {', '.join(known)}")
        kind = known[chosen]
        return kind(**{field.name: getattr(self, field.name) for field in fields(kind)})


DEFAULT = AttentionConfig()
"""VS Eqs. 3 to 8."""


@struct.dataclass
class AttentionOutput:
    """One step of attention. B sentences, optionally K queries (hypotheses) each.

    context: c_t. weights: a_t, exactly 0 outside the window and on padding; of scores by dimension
    their mean, and `by_dimension` has them all. strength: g(t), 0 where the span has none.
    scored: positions whose score was computed. window: their number. state: for the next step.
    """

    context: Float[Array, "B *K D"]
    weights: Float[Array, "B *K S"]
    by_dimension: Float[Array, "B *K S D"] | None
    strength: Float[Array, "B *K"]
    scored: Bool[Array, "B *K S"]
    window: Int[Array, "B *K"]
    state: AttentionState


def init_attention(
    key: PRNGKeyArray,
    config: AttentionConfig,
    *,
    query_size: int,
    memory_size: int,
    feedback_size: int,
    attention_size: int,
) -> Params:
    """Parameters: a plain nested dict of float32 arrays; "score", and the span's own entries.

    Args:
      key: JAX random key.
      query_size: H, units of the decoder state.
      memory_size: D, units of an annotation.
      feedback_size: E, units of the embedding of the word fed back.
      attention_size: A, hidden units of score and span networks.

    Raises:
      ValueError: a size is not positive, or does not match the score.
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
    score, span = config.parts()
    score_key, span_key = jax.random.split(key)
    sizes = Sizes(*sizes.values())
    return {"score": score.init(score_key, sizes), **span.init(span_key, sizes)}


def prepare_memory(
    params: Params,
    annotations: Float[Array, "B S D"],
    lengths: Int[Array, " B"],
    config: AttentionConfig = DEFAULT,
) -> Memory:
    """Computes what does not change from step to step, once a sentence.

    Args:
      params: from `init_attention` or `init_flexible_attention`.
      annotations: encoder states h̄_s, padded to a common length.
      lengths: each sentence's own length, 0 to S.

    Raises:
      ValueError, TypeError: a shape or dtype does not fit; the message names the argument.
    """
    check_array("annotations", annotations, (None, None, None), jnp.floating)
    check_array("lengths", lengths, annotations.shape[:1], jnp.integer)
    score, _ = config.parts()
    return Memory(annotations, score.keys(params["score"], annotations), lengths)


def initial_attention_state(memory: Memory) -> AttentionState:
    """p_0 = 0, before the first step; one query a sentence."""
    sentences = memory.lengths.shape[0]
    dtype = jnp.promote_types(memory.annotations.dtype, jnp.float32)
    return AttentionState(jnp.zeros(sentences, dtype), jnp.zeros(sentences, jnp.int32))


def attend(
    params: Params,
    config: AttentionConfig,
    query: Float[Array, "B *K H"],
    feedback: Float[Array, "B *K E"],
    state: AttentionState,
    memory: Memory,
    *,
    threshold: float | Float[Array, ""] = np.inf,
    implementation: Implementation | None = None,
) -> AttentionOutput:
    """One step of attention. Pure; works under every JAX transformation.

    Beam search may hand in several queries a sentence, [B, K, H]: they share its memory.

    Args:
      params: from `init_attention`.
      query: the decoder state before the step, h_{t-1}.
      feedback: embedding of the word fed back, i_t.
      state: of the step before, or `initial_attention_state`.
      memory: from `prepare_memory`.
      threshold: τ; positions that the span penalises this much or more are not scored (VS 3.1).
      implementation: "dense" scores all positions and masks (training), "windowed" computes only
        the scores that the windows need (decoding), None picks. All agree to rounding.

    Raises:
      ValueError, TypeError: at trace time, naming the argument: a shape or dtype that does not
        fit, a threshold that is not positive, an unknown implementation.
    """
    if query.ndim not in (2, 3):
        raise ValueError(f"query must be [B, H] or [B, K, H], got shape {query.shape}")
    leading = (memory.lengths.shape[0], *query.shape[1:-1])
    check_array("query", query, (*leading, None), jnp.floating)
    check_array("feedback", feedback, (*leading, None), jnp.floating)
    check_array("focus", state.focus, leading, jnp.floating)
    check_positive("threshold", threshold)
    for_query, for_feedback = attention_kernels(params, config, query.shape[-1])
    return attend_projected(
        params,
        config,
        query,
        project("query", for_query, query),
        project("feedback", for_feedback, feedback),
        state,
        memory,
        threshold=threshold,
        implementation=implementation,
    )


def attention_kernels(
    params: Params, config: AttentionConfig, query_size: int
) -> tuple[Parts, Parts]:
    """What multiplies query and feedback, each for score and span.

    A decoder may fuse them with products of its own.
    """
    score, span = config.parts()
    kernels = score.kernels(params["score"]), span.kernels(params, query_size)
    return tuple(zip(*kernels, strict=True))


def project(name: str, kernels: Parts, x: Float[Array, "*N X"]) -> Parts:
    """The products of one input, "query" or "feedback", for score and span.

    Raises:
      ValueError: the input's size is not the kernels'.
    """
    for kernel in kernels:
        if kernel is not None:
            check_array(name, x, (*x.shape[:-1], kernel.shape[0]), jnp.floating)
    return tuple(None if kernel is None else x @ kernel for kernel in kernels)


def attend_projected(
    params: Params,
    config: AttentionConfig,
    query: Float[Array, "B *K H"],
    of_query: Parts,
    of_feedback: Parts,
    state: AttentionState,
    memory: Memory,
    *,
    threshold: float | Float[Array, ""],
    implementation: Implementation | None,
) -> AttentionOutput:
    """`attend` behind its products, for a decoder that fuses them with its own."""
    score, span = config.parts()
    annotations, length = memory.annotations, memory.annotations.shape[1]
    evaluate_where = IMPLEMENTATIONS[_choose(implementation, span.narrows(threshold), length)]
    hypotheses = query.shape[1:-1]
    inputs = (query, _sum(of_query, of_feedback), state)
    query, (score_part, span_part), state = jax.tree.map(
        lambda x: x.reshape(x.shape[0], -1, *x.shape[1 + len(hypotheses) :]), inputs
    )
    focus = state.focus.astype(jnp.promote_types(state.focus.dtype, jnp.float32))
    positions = jnp.arange(length, dtype=jnp.float32)

    reach = span.reach(
        params, span_part, state.replace(focus=focus), memory.lengths, positions, threshold
    )
    scores = evaluate_where(
        partial(score.evaluate, params["score"]),
        query if score_part is None else score_part,
        memory.keys,
        reach.window,
    )
    by_dimension, weights = None, scores
    if scores.ndim == 4:
        by_dimension = jax.vmap(weigh, in_axes=(-1, None), out_axes=-1)(scores, reach)
        weights = by_dimension.mean(-1)
        context = jnp.einsum("bksd,bsd->bkd", by_dimension.astype(annotations.dtype), annotations)
    else:
        weights = weigh(scores, reach)
        context = jnp.einsum("bks,bsd->bkd", weights.astype(annotations.dtype), annotations)
    output = AttentionOutput(
        context=context,
        weights=weights,
        by_dimension=by_dimension,
        strength=reach.strength,
        scored=reach.window,
        window=reach.window.sum(-1, dtype=jnp.int32),
        state=AttentionState((weights * positions).sum(-1), state.step + 1),  # Eq. 4
    )
    return jax.tree.map(lambda x: x.reshape(x.shape[0], *hypotheses, *x.shape[2:]), output)


def _sum(parts: Parts, others: Parts) -> Parts:
    return tuple(
        part if other is None else other if part is None else part + other
        for part, other in zip(parts, others, strict=True)
    )


def _choose(implementation: str | None, narrow: bool, length: int) -> str:
    if implementation is None:
        return "windowed" if narrow and length >= WINDOWED_FROM_LENGTH else "dense"
    if implementation not in IMPLEMENTATIONS:
        allowed = ", ".join(map(repr, IMPLEMENTATIONS))
        raise ValueError(f"implementation must be None or one of {allowed}, got {implementation!r}")
    return implementation
