"""One step of attention: a score under a span.

"VS" is Shu and Nakayama's paper on vision spans (2017), whose equations the code names; "FG" is
Choi et al. on fine-grained attention (2018).

init_attention ─ params ─┬─ prepare_memory ─ memory ─┐
initial_attention_state ─┴────────── state ──────────┴─ attend ─ context, weights, next state
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray

from fa_jax.attention.attention_config import (
    DEFAULT,
    AttentionConfig,
    arrays_of,
    title_of,
    with_arrays,
)
from fa_jax.attention.checks import (
    check_array,
    check_memory,
    check_params,
    check_positive,
    check_state,
)
from fa_jax.attention.implementation import Implementation, for_step
from fa_jax.attention.mesh_types import in_auto_axes, varying_as
from fa_jax.attention.score import Sizes, at_least_float32
from fa_jax.attention.span import over_dimensions, reach_of
from fa_jax.attention.step import AttentionState, Memory, Params, Step
from fa_jax.attention.window import window_mask

Parts = dict[str, Array]
"""What "score" and "span" read of query or feedback; who reads nothing of it is not there."""


@struct.dataclass
class AttentionOutput:
    """One step of attention. B sentences, optionally K queries (hypotheses) each.

    context: c_t. weights: a_t, exactly 0 outside the window and on padding. by_dimension: the
    weights of each dimension, where the score has them; `weights` is then their mean. strength:
    g(t), 0 where the span has none. scored: True for positions whose score was computed. window:
    their number. state: for the next step. Without details weights, by_dimension and scored are
    None.

    cost: what the step adds to the loss in training, in nats; 0 for most spans.
    """

    context: Float[Array, "B *K D"]
    weights: Float[Array, "B *K S"] | None
    by_dimension: Float[Array, "B *K S D"] | None
    strength: Float[Array, "B *K"]
    cost: Float[Array, "B *K"]
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
    """First parameters of an attention.

    Args:
      key: JAX random key.
      config: a score under a span.
      query_size: H, units of the decoder state.
      memory_size: D, units of an annotation.
      feedback_size: E, units of the embedding of the word fed back.
      attention_size: A, hidden units of score and span networks.

    Returns:
      A plain nested dict of float32 arrays: "score", and the span's own entries.

    Raises:
      ValueError, TypeError: a size is no positive whole number, or does not match the score.

    >>> sizes = dict(query_size=4, memory_size=6, feedback_size=5, attention_size=8)
    >>> config = fa_jax.AttentionConfig("general", "local_p")
    >>> params = fa_jax.init_attention(jax.random.key(0), config, **sizes)
    >>> sorted(params)
    ['position', 'score']
    """
    sizes = Sizes(query_size, memory_size, feedback_size, attention_size)
    score_key, span_key = jax.random.split(key)
    params = {"score": config.score.init(score_key, sizes), **config.span.init(span_key, sizes)}
    return jax.tree.map(jnp.float32, params)  # JAX's own default is float64 where x64 is enabled


def initial_attention_state(
    memory: Memory,
    config: AttentionConfig = DEFAULT,
    training_keys: Key[Array, " B"] | None = None,
) -> AttentionState:
    """The state before the first step, for one query a sentence. Its focus is p_0 = 0.

    Args:
      memory: from `prepare_memory`.
      config: the same as there.
      training_keys: in training, a random key for each sentence. Spans that decide at random then
        take expectations over their decisions, with noise from these keys.

    Returns:
      The state to hand to the first `attend`.

    >>> config = fa_jax.AttentionConfig("dot", "global")
    >>> annotations, lengths = jnp.ones((2, 9, 6)), jnp.array([9, 7])
    >>> memory = fa_jax.prepare_memory({"score": {}}, annotations, lengths, config)
    >>> fa_jax.initial_attention_state(memory, config).focus.tolist()
    [0.0, 0.0]
    """
    sentences, length, _ = memory.annotations.shape

    def start(keys: Key[Array, " B"] | None) -> AttentionState:
        state = AttentionState(
            focus=at_least_float32(jnp.zeros(sentences, memory.annotations.dtype)),
            step=jnp.zeros(sentences, jnp.int32),
            score=config.score.initial_state(sentences, length),
            span=config.span.initial_state(sentences, length, keys),
        )
        return varying_as(state, memory.annotations)

    return in_auto_axes(start, training_keys, like=memory.annotations)


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
    details: bool = True,
) -> AttentionOutput:
    """One step of attention. Pure; works under JAX's transformations.

    Beam search may hand in K queries for each sentence, [B, K, H]. They share its memory.

    Args:
      params: from `init_attention`.
      config: the same as there.
      query: the decoder state before the step, h_{t-1}.
      feedback: embedding of the word fed back, i_t.
      state: of the step before, or `initial_attention_state`.
      memory: from `prepare_memory`.
      threshold: τ. A position whose penalty reaches it is not scored (VS 3.1).
      implementation: "dense" scores all positions, then masks; it suits training. "windowed"
        computes only the scores of the windows; it suits decoding. None picks. Both agree to
        rounding.
      details: False leaves out weights, by_dimension and scored. A windowed step then costs what
        its windows cost, however long the sentence is.

    Returns:
      An `AttentionOutput`; its `state` goes into the next step.

    Raises:
      ValueError, TypeError: at trace time, naming the argument: a shape or dtype that does not
        fit, a memory that was prepared for another attention, a threshold that is not positive,
        lengths of the memory that are not from 0 to S (where they are not traced), an unknown
        implementation; a score or span of one's own that breaks a rule.

    >>> config = fa_jax.AttentionConfig("dot", fa_jax.LocalM(half_width=2))
    >>> params = {"score": {}}
    >>> memory = fa_jax.prepare_memory(params, jnp.ones((2, 9, 6)), jnp.array([9, 7]), config)
    >>> state = fa_jax.initial_attention_state(memory, config)
    >>> out = fa_jax.attend(params, config, jnp.ones((2, 6)), jnp.ones((2, 5)), state, memory)
    >>> out.context.shape, out.window.tolist()  # positions 0, 1 and 2 at the first step
    ((2, 6), [3, 3])
    """
    check_memory(memory, title_of(config))
    check_params(params, config.span.network)
    check_state(state)
    if np.ndim(query) not in (2, 3):
        raise ValueError(f"query must be [B, H] or [B, K, H], got shape {np.shape(query)}")
    leading = (memory.lengths.shape[0], *np.shape(query)[1:-1])
    if 0 in leading:
        raise ValueError(f"query must have at least one row, got shape {np.shape(query)}")
    check_array("query", query, (*leading, "H"), jnp.floating)
    check_array("feedback", feedback, (*leading, "E"), jnp.floating)
    check_array("focus", state.focus, leading, jnp.floating)
    check_positive(threshold=threshold)
    query, feedback, state, memory = jax.tree.map(jnp.asarray, (query, feedback, state, memory))

    def step(params, settings, query, feedback, state, memory, threshold) -> AttentionOutput:
        own = with_arrays(config, settings)
        for_query, for_feedback = attention_kernels(params, own, query.shape[-1])
        return attend_projected(
            params,
            own,
            query,
            project("query", for_query, query),
            project("feedback", for_feedback, feedback),
            state,
            memory,
            threshold=threshold,
            implementation=implementation,
            details=details,
        )

    settings = arrays_of(config)
    return in_auto_axes(
        step, params, settings, query, feedback, state, memory, threshold, like=query
    )


def attention_kernels(
    params: Params, config: AttentionConfig, query_size: int
) -> tuple[Parts, Parts]:
    """The kernels that multiply query and feedback, for score and span.

    A decoder may fuse them with products of its own.
    """
    readers = {
        "score": config.score.kernels(params["score"]),
        "span": config.span.kernels(params, query_size),
    }
    return tuple(
        {name: of[side] for name, of in readers.items() if of[side] is not None} for side in (0, 1)
    )


def project(name: str, kernels: Parts, x: Float[Array, "*N X"]) -> Parts:
    """The products of one input, "query" or "feedback", for score and span.

    Raises:
      ValueError: the input's size is not the kernels'.
    """
    for kernel in kernels.values():
        check_array(name, x, (*x.shape[:-1], kernel.shape[0]), jnp.floating)
    return {reader: x @ kernel for reader, kernel in kernels.items()}


def attend_projected(
    params: Params,
    config: AttentionConfig,
    query: Float[Array, "B *K H"],
    of_query: Parts,
    of_feedback: Parts,
    state: AttentionState,
    memory: Memory,
    *,
    threshold: float | Float[Array, ""] | Float[Array, "B 1"],
    implementation: Implementation | None,
    details: bool,
) -> AttentionOutput:
    """`attend` behind its products, for a decoder that fuses them with its own.

    threshold: also one a sentence.
    """
    hypotheses, taps = query.shape[1:-1], state.taps
    both = {
        name: part + of_feedback[name] for name, part in of_query.items() if name in of_feedback
    }
    inputs = (query, of_query | of_feedback | both, state.replace(taps=()))
    query, parts, state = jax.tree.map(
        lambda x: x.reshape(x.shape[0], -1, *x.shape[1 + len(hypotheses) :]), inputs
    )
    focus = at_least_float32(state.focus)
    step = Step(
        params=params,
        query=parts.get("score", query),
        span_query=parts.get("span"),
        state=state.replace(focus=focus, taps=taps),
        memory=memory,
        threshold=threshold,
    )
    reach = reach_of(config.span, step)
    weighed = for_step(implementation, config, step)(config, step, reach, details)
    zeros, length, weights = jnp.zeros_like(focus), memory.annotations.shape[1], weighed.weights
    output = AttentionOutput(
        context=weighed.context,
        weights=over_dimensions(weights) if details else None,
        by_dimension=weights if details and weights.ndim == 4 else None,
        strength=zeros + reach.strength,
        cost=zeros + reach.cost,
        scored=window_mask(reach.first, reach.last, length) if details else None,
        window=jnp.maximum(reach.last - reach.first + 1, 0).astype(jnp.int32),
        state=AttentionState(
            weighed.focus.astype(focus.dtype), state.step + 1, weighed.state, reach.state
        ),
    )
    output = jax.tree.map(lambda x: x.reshape(x.shape[0], *hypotheses, *x.shape[2:]), output)
    return output.replace(state=output.state.replace(taps=weighed.taps))
