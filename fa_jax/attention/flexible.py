"""Flexible attention (Shu and Nakayama 2017): the public function.

One decoder step: how strongly to penalise distance from the last focus (Eq. 8), the penalty
(Eqs. 5, 6), the window that the threshold leaves (3.1), weights (Eq. 7), context (Eq. 1), focus
(Eq. 4).
"""

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Float, Int, PRNGKeyArray

from fa_jax.attention.attend import attend, init_attention
from fa_jax.attention.attention_config import DEFAULT, AttentionConfig
from fa_jax.attention.checks import check_array, check_lengths, check_positive
from fa_jax.attention.implementation import Implementation
from fa_jax.attention.mesh_types import in_auto_axes
from fa_jax.attention.score import at_least_float32
from fa_jax.attention.spans.flexible import Flexible, penalty
from fa_jax.attention.step import AttentionState, Memory, Params
from fa_jax.attention.window import window_mask


@struct.dataclass
class FlexibleAttentionOutput:
    """One step of attention. B sentences, optionally K queries (hypotheses) each.

    context: c_t. weights: a_t, exactly 0 outside the window and on padding; None without details.
    focus: p_t, in source positions; hand it to the next step. strength: g(t), from 0 to 1. window:
    how many positions were scored.
    """

    context: Float[Array, "B *K D"]
    weights: Float[Array, "B *K S"] | None
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
      a bias of -inf is global attention.

    Raises:
      ValueError: a size is not positive.

    >>> sizes = dict(query_size=4, memory_size=6, feedback_size=5, attention_size=8)
    >>> params = fa_jax.init_flexible_attention(jax.random.key(0), **sizes)
    >>> params["score"]["query_kernel"].shape, float(params["strength"]["bias"])
    ((4, 8), -4.0)
    """
    return init_attention(
        key,
        DEFAULT,
        query_size=query_size,
        memory_size=memory_size,
        feedback_size=feedback_size,
        attention_size=attention_size,
    )


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
    details: bool = True,
) -> FlexibleAttentionOutput:
    """One step of flexible attention. Pure; works under JAX's transformations (`attend`).

    It computes Eqs. 1 to 8 of Shu and Nakayama (2017); the numbers of equations are theirs. With
    `threshold=inf` it is Eq. 7. With strength 0 as well it is global attention, Eq. 2. Beam search
    may hand in K queries for each sentence, [B, K, H]. They share the sentence's memory. The
    context has the dtype of the annotations. Focus, weights and strength are float32, also where
    all inputs are bfloat16.

    Args:
      params: from `init_flexible_attention`.
      query: the decoder state before the step, h_{t-1}.
      feedback: embedding of the word fed back, i_t.
      focus: p_{t-1}, in source positions counted from 0; 0.0 before the first step.
      memory: from `prepare_memory`.
      sigma: width σ of the penalty, in positions (Eq. 6).
      threshold: τ. A position whose penalty reaches it is not scored. The position
        nearest to the focus is always scored.
      implementation: "dense" scores all positions, then masks; it suits training. "windowed"
        computes only the scores of the windows; it suits decoding. None picks. Both agree to
        rounding.
      details: False leaves out the weights. A windowed step then costs what its windows cost.

    Returns:
      A `FlexibleAttentionOutput`.

    Raises:
      ValueError, TypeError: at trace time, naming the argument: a shape or dtype that does not
        fit, parameters of something else, a sigma or threshold that is not positive, lengths of
        the memory that are not from 0 to S (where they are not traced), an unknown implementation.

    >>> sizes = dict(query_size=4, memory_size=6, feedback_size=5, attention_size=8)
    >>> params = fa_jax.init_flexible_attention(jax.random.key(0), **sizes)
    >>> memory = fa_jax.prepare_memory(params, jnp.ones((2, 40, 6)), jnp.array([40, 30]))
    >>> focus = jnp.zeros(2)
    >>> for query, feedback in zip(jnp.ones((3, 2, 4)), jnp.ones((3, 2, 5))):  # three steps
    ...     out = fa_jax.flexible_attention(params, query, feedback, focus, memory, threshold=1.2)
    ...     focus = out.focus
    >>> out.context.shape, out.weights.shape, out.window.shape
    ((2, 6), (2, 40), (2,))
    """
    step = jnp.zeros(jnp.shape(focus), jnp.int32)
    output = attend(
        params,
        AttentionConfig("concat", Flexible(sigma)),
        query,
        feedback,
        AttentionState(focus, step),
        memory,
        threshold=threshold,
        implementation=implementation,
        details=details,
    )
    return FlexibleAttentionOutput(
        output.context, output.weights, output.state.focus, output.strength, output.window
    )


def flexible_bias(
    strength: Float[Array, "*N"],
    focus: Float[Array, "..."],
    lengths: Int[Array, "..."],
    size: int,
    *,
    sigma: float | Float[Array, ""] = 1.5,
    threshold: float | Float[Array, ""] = np.inf,
) -> Float[Array, "*N S"]:
    """The penalty alone (Shu and Nakayama 2017, Eqs. 5, 6; 3.1): a bias to add to any scores.

    `flexible_attention` adds it to its own scores. A Transformer's cross-attention may add it to
    its logits: `jax.nn.dot_product_attention(q, k, v, bias=...)`.

    Args:
      strength: g(t) of each query, 0 to 1. focus: where it looks, in positions from 0.
      lengths: how many positions are no padding, with as many axes as strength; an axis may have
        size 1. Under `jax.jit` their values are not known, and one above S is not noticed.
      size: S, padded positions.
      sigma: width σ of the penalty, in positions.
      threshold: τ. A position whose penalty reaches it gets -inf, and so does padding. The position
        nearest to the focus never does, unless the sentence is empty.

    Returns:
      The bias of each position; 0 at the focus, negative beside it.

    Raises:
      ValueError, TypeError: a shape or dtype that does not fit, a length that is not from 0 to S, a
        sigma or threshold that is not positive.

    >>> g, focus, lengths = jnp.full((2, 3), 0.5), jnp.full((2, 3), 4.0), jnp.array([[9], [7]])
    >>> bias = fa_jax.flexible_bias(g, focus, lengths, size=9, threshold=1.0)
    >>> print(bias[0, 0].round(1))
    [-inf -inf -0.4 -0.1 -0.  -0.1 -0.4 -inf -inf]
    """
    check_positive(sigma=sigma, threshold=threshold)
    check_array("strength", strength, np.shape(strength), jnp.floating)
    check_array("focus", focus, strength.shape, jnp.floating)
    check_array("lengths", lengths, ("any",) * strength.ndim, jnp.integer)
    check_lengths("lengths", lengths, size)

    def bias(strength, focus, lengths, sigma, threshold) -> Float[Array, "*N S"]:
        flat = jnp.broadcast_to(jnp.int32(lengths), strength.shape).reshape(-1)
        g, centre = (at_least_float32(x).reshape(-1, 1) for x in (strength, focus))
        first, last = Flexible(sigma).window(g, centre, flat, threshold)
        cost = penalty(g, centre, jnp.arange(size, dtype=centre.dtype)[None, None], sigma)
        window = window_mask(first, jnp.minimum(last, flat[:, None] - 1), size)
        finite = -jnp.minimum(cost, float(jnp.finfo(strength.dtype).max))
        found = jnp.where(window, finite, -jnp.inf).astype(strength.dtype)
        return found.reshape(*strength.shape, size)

    arrays = strength, focus, lengths, sigma, threshold
    return in_auto_axes(bias, *arrays, like=strength, axes=strength.ndim)
