"""One step of attention: a score under a span.

init_attention ─ params ─┬─ prepare_memory ─ memory ─┐
initial_attention_state ─┴────────── state ──────────┴─ attend ─ context, weights, next state
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray

from fa_jax.attention import dense, windowed
from fa_jax.attention.checks import check_array, check_positive
from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.score import Score, Sizes
from fa_jax.attention.scores import SCORES
from fa_jax.attention.span import AttentionState, Reach, Span
from fa_jax.attention.spans import SPANS
from fa_jax.attention.summary import Summary
from fa_jax.attention.weighed import Weighed

Implementation = Literal["dense", "windowed"]

IMPLEMENTATIONS: dict[str, Callable] = {"dense": dense.weigh, "windowed": windowed.weigh}

WINDOWED_FROM_LENGTH = {"cpu": 64}
"""By platform, where windowed was measured to win (`fa-jax benchmark attention_step`): below this
length packing costs what the scores it saves cost. Elsewhere dense is chosen."""

Parts = tuple[Array | None, Array | None]
"""What the score and the span read of query and feedback; None where it is nothing."""


@dataclass(frozen=True)
class AttentionConfig:
    """Which attention: names of `SCORES` and `SPANS`, or values of one's own, and settings.

    span: None for a score that reads a summary ("linear").

    Settings, each of one score or span. sigma: width of the flexible span's penalty, in
    positions. half_width: D of the local spans. positions: the location score's longest sentence.
    slices: of the tensor score. dynamic_size, neighbours: of the recurrent score's memory. chunk,
    noise: of the monotonic span. ramp: of the adaptive span, in positions.

    Raises:
      ValueError: an unknown name, a setting that is not positive, a span on a summary or none on
        a score.
    """

    score: str | Score | Summary = "concat"
    span: str | Span | None = "flexible"
    sigma: float | Float[Array, ""] = 1.5
    half_width: int = 10
    positions: int = 1024
    slices: int = 4
    dynamic_size: int = 16
    neighbours: int = 2
    chunk: int = 8
    noise: float = 1.0
    ramp: float = 4.0

    def __post_init__(self):
        for field in fields(self)[2:]:
            check_positive(field.name, getattr(self, field.name))
        score, span = self.parts()
        if isinstance(score, Summary) and span is not None:
            raise ValueError(
                f"score {self.score!r} reads a summary of the sentence, which has no positions: "
                f"it takes span None, got {self.span!r}"
            )
        if isinstance(score, Score) and span is None:
            raise ValueError(f"score {self.score!r} needs a span: choose {', '.join(SPANS)}")

    def parts(self) -> tuple[Score | Summary, Span | None]:
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
    extent: z(t) of the adaptive span, in positions; 0 elsewhere. scored: positions whose score
    was computed. window: their number. state: for the next step. Without details weights,
    by_dimension and scored are None.
    """

    context: Float[Array, "B *K D"]
    weights: Float[Array, "B *K S"] | None
    by_dimension: Float[Array, "B *K S D"] | None
    strength: Float[Array, "B *K"]
    extent: Float[Array, "B *K"]
    scored: Bool[Array, "B *K S"] | None
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
    of_span = {} if span is None else span.init(span_key, sizes)
    return {"score": score.init(score_key, sizes), **of_span}


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
    annotations, lengths = jnp.asarray(annotations), jnp.asarray(lengths)
    score, span = config.parts()
    if span is None:
        return Memory(annotations, score.summarize(params["score"], annotations, lengths), lengths)
    keys, span_keys = score.keys(params["score"], annotations), span.keys(params, annotations)
    return Memory(annotations, keys, lengths, span_keys)


def initial_attention_state(memory: Memory, config: AttentionConfig = DEFAULT) -> AttentionState:
    """Before the first step: p_0 = 0, and what score and span begin with; one query a sentence."""
    sentences, length, _ = memory.annotations.shape
    dtype = jnp.promote_types(memory.annotations.dtype, jnp.float32)
    return AttentionState(
        jnp.zeros(sentences, dtype),
        jnp.zeros(sentences, jnp.int32),
        *(
            () if isinstance(part, Summary | None) else part.initial_state(sentences, length)
            for part in config.parts()
        ),
    )


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
    training_keys: Key[Array, " B"] | None = None,
    details: bool = True,
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
      training_keys: in training, a random key a sentence, the same at each step: the
        monotonic span then takes expectations over where it stops, instead of stopping.
      details: False leaves weights, by_dimension and scored out: the rest of a windowed step costs
        what its windows cost, however long the sentence.

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
        training_keys=training_keys,
        details=details,
    )


def attention_kernels(
    params: Params, config: AttentionConfig, query_size: int
) -> tuple[Parts, Parts]:
    """What multiplies query and feedback, each for score and span.

    A decoder may fuse them with products of its own.
    """
    score, span = config.parts()
    of_span = (None, None) if span is None else span.kernels(params, query_size)
    return tuple(zip(score.kernels(params["score"]), of_span, strict=True))


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
    training_keys: Key[Array, " B"] | None,
    details: bool,
) -> AttentionOutput:
    """`attend` behind its products, for a decoder that fuses them with its own."""
    score, span = config.parts()
    hypotheses = query.shape[1:-1]
    inputs = (query, _sum(of_query, of_feedback), state)
    query, (score_part, span_part), state = jax.tree.map(
        lambda x: x.reshape(x.shape[0], -1, *x.shape[1 + len(hypotheses) :]), inputs
    )
    query = query if score_part is None else score_part
    focus = state.focus.astype(jnp.promote_types(state.focus.dtype, jnp.float32))
    state = state.replace(focus=focus)
    if span is None:
        output = _read_summary(score, params["score"], query, state, memory)
    else:
        reach = span.reach(params, span_part, state, memory, threshold, training_keys)
        reach = reach.replace(
            first=jnp.maximum(reach.first, 0),
            last=jnp.minimum(reach.last, memory.lengths[:, None] - 1),
        )
        weigh = _implementation(implementation, span.narrows(threshold), reach, memory)
        weighed = weigh(score, span, params["score"], query, reach, state, memory, details)
        output = _output(weighed, reach, state, details, memory.annotations.shape[1])
    return jax.tree.map(lambda x: x.reshape(x.shape[0], *hypotheses, *x.shape[2:]), output)


def _read_summary(
    summary: Summary,
    params: Params,
    query: Float[Array, "B K Q"],
    state: AttentionState,
    memory: Memory,
) -> AttentionOutput:
    """A context without weights: no position is scored."""
    zeros = jnp.zeros_like(state.focus)
    weights = jnp.zeros((*zeros.shape, memory.annotations.shape[1]), zeros.dtype)
    return AttentionOutput(
        context=summary.read(params, query, memory.keys, memory.annotations.shape[-1]),
        weights=weights,
        by_dimension=None,
        strength=zeros,
        extent=zeros,
        scored=weights > 0,
        window=zeros.astype(jnp.int32),
        state=state.replace(step=state.step + 1),
    )


def _output(
    weighed: Weighed, reach: Reach, state: AttentionState, details: bool, length: int
) -> AttentionOutput:
    zeros = jnp.zeros_like(state.focus)
    return AttentionOutput(
        context=weighed.context,
        weights=weighed.weights,
        by_dimension=weighed.by_dimension,
        strength=zeros + reach.strength,
        extent=zeros + reach.extent,
        scored=dense.window_mask(reach.first, reach.last, length) if details else None,
        window=jnp.maximum(reach.last - reach.first + 1, 0).astype(jnp.int32),
        state=AttentionState(weighed.focus, state.step + 1, weighed.state, reach.state),
    )


def _sum(parts: Parts, others: Parts) -> Parts:
    return tuple(
        part if other is None else other if part is None else part + other
        for part, other in zip(parts, others, strict=True)
    )


def _implementation(
    name: str | None, narrow: bool, reach: Reach, memory: Memory
) -> Callable[..., Weighed]:
    if name is not None and name not in IMPLEMENTATIONS:
        allowed = ", ".join(map(repr, IMPLEMENTATIONS))
        raise ValueError(f"implementation must be None or one of {allowed}, got {name!r}")
    if reach.head is not None:
        return dense.weigh  # expectations are over every position
    if name is None:
        shortest = WINDOWED_FROM_LENGTH.get(jax.default_backend(), math.inf)
        pays = narrow and memory.annotations.shape[1] >= shortest
        name = "windowed" if pays else "dense"
    return IMPLEMENTATIONS[name]
