"""Which positions count, and with what prior? The flexible span of VS Eqs. 4 to 8."""

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from fa_jax.attention.params import Params

INITIAL_STRENGTH_BIAS = -4.0
"""g starts near 0.02: with 0 the focus cannot leave the sentence's start at first."""


def init_strength(
    key: PRNGKeyArray, query_size: int, feedback_size: int, attention_size: int
) -> Params:
    """The network of Eq. 8; the kernel's rows: query first, then feedback."""
    kernel_key, vector_key = jax.random.split(key)
    glorot = initializers.glorot_uniform()
    return {
        "kernel": glorot(kernel_key, (query_size + feedback_size, attention_size)),
        "vector": glorot(vector_key, (attention_size, 1))[:, 0],
        "bias": jnp.asarray(INITIAL_STRENGTH_BIAS),
    }


def strength_query(params: Params, query: Float[Array, "*N H"]) -> Float[Array, "*N A"]:
    """The query's part of the strength network's hidden layer."""
    return query @ params["kernel"][: query.shape[-1]]


def strength_feedback(params: Params, feedback: Float[Array, "*N E"]) -> Float[Array, "*N A"]:
    """The feedback's part of it; known before the step where the words are."""
    return feedback @ params["kernel"][-feedback.shape[-1] :]


def strength(params: Params, hidden: Float[Array, "*N A"]) -> Float[Array, "*N"]:
    """g(t) = sigmoid(v_g · tanh(W_g [h_{t-1}; i_t]) + b_g), Eq. 8, from `W_g [h_{t-1}; i_t]`."""
    return jax.nn.sigmoid(_float32(jnp.tanh(hidden) @ params["vector"] + params["bias"]))


def penalty(
    strength: Float[Array, "B K"],
    focus: Float[Array, "B K"],
    positions: Float[Array, " S"],
    sigma: float | Float[Array, ""],
) -> Float[Array, "B K S"]:
    """g(t) (s − p_{t-1})² / (2σ²), Eqs. 5 and 6."""
    distance = jnp.square(positions - focus[..., None]) / (2 * sigma**2)
    return strength[..., None] * distance


def window(
    penalty: Float[Array, "B K S"],
    threshold: float | Float[Array, ""],
    focus: Float[Array, "B K"],
    lengths: Int[Array, " B"],
) -> Bool[Array, "B K S"]:
    """Positions penalised by less than τ (VS 3.1), and always the one nearest to the focus."""
    index = jnp.arange(penalty.shape[-1])
    last = lengths[:, None] - 1
    nearest = jnp.clip(jnp.round(focus), 0, jnp.maximum(last, 0)).astype(lengths.dtype)
    chosen = (penalty < threshold) | (index == nearest[..., None])
    return chosen & (index <= last[..., None])


def focus(weights: Float[Array, "B K S"], positions: Float[Array, " S"]) -> Float[Array, "B K"]:
    """p_t = Σ_s a_t(s) · s, Eq. 4."""
    return (weights * positions).sum(-1)


def _float32(x: Array) -> Array:
    """Strength, penalty and focus need the precision even where products are bfloat16."""
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))
