"""The decoder: flexible attention, one LSTM, a bottleneck before the softmax (VS 5.1)."""

import jax
import jax.numpy as jnp
from flax import struct
from flax.linen import initializers
from jaxtyping import Array, Float, PRNGKeyArray

from fa_jax.attention import (
    FlexibleAttentionOutput,
    Memory,
    attend_projected,
    init_flexible_attention,
)
from fa_jax.attention.params import Params
from fa_jax.attention.span import strength_feedback
from fa_jax.config import ModelConfig
from fa_jax.model.dense import dense
from fa_jax.model.hoisted_scan import Kernels, Product
from fa_jax.model.lstm import init_lstm, lstm_update


@struct.dataclass
class DecoderState:
    """What one step hands to the next: h_t, the LSTM's cell, p_t."""

    hidden: Float[Array, "B *K H"]
    cell: Float[Array, "B *K H"]
    focus: Float[Array, "B *K"]


@struct.dataclass
class Feedback:
    """What the word fed back adds to the strength network's hidden layer and to the gates."""

    strength: Float[Array, "B *K A"]
    gates: Float[Array, "B *K G"]


def init_decoder(key: PRNGKeyArray, config: ModelConfig, vocabulary_size: int) -> Params:
    keys = jax.random.split(key, 6)
    glorot = initializers.glorot_uniform()
    embedding_size, size = config.embedding_size, config.decoder_size
    attention = init_flexible_attention(
        keys[0],
        query_size=size,
        memory_size=2 * config.encoder_size,
        feedback_size=embedding_size,
        attention_size=config.attention_size,
    )
    if config.attention == "global":
        attention["strength"]["bias"] = jnp.asarray(-jnp.inf)
    return {
        "embedding": initializers.normal(embedding_size**-0.5)(
            keys[1], (vocabulary_size, embedding_size)
        ),
        "start": {"kernel": glorot(keys[2], (config.encoder_size, size))},
        "attention": attention,
        "lstm": init_lstm(keys[3], embedding_size + 2 * config.encoder_size, size),
        "bottleneck": _init_dense(keys[4], size, config.bottleneck_size),
        "output": _init_dense(keys[5], config.bottleneck_size, vocabulary_size),
    }


def _init_dense(key: PRNGKeyArray, input_size: int, size: int) -> Params:
    kernel = initializers.glorot_uniform()(key, (input_size, size))
    return {"kernel": kernel, "bias": jnp.zeros(size)}


def decoder_start(params: Params, annotations: Float[Array, "B S D"]) -> DecoderState:
    """h_0 = tanh(W · backward encoder state at s = 0), c_0 = 0, p_0 = 0."""
    backward_size = params["start"]["kernel"].shape[0]
    hidden = jnp.tanh(annotations[:, 0, -backward_size:] @ params["start"]["kernel"])
    focus = jnp.zeros(hidden.shape[0], jnp.promote_types(hidden.dtype, jnp.float32))
    return DecoderState(hidden, jnp.zeros_like(hidden), focus)


def feed_back(params: Params, embedding: Float[Array, "*N E"]) -> Feedback:
    """The products that read i_t: known before the step where the words are."""
    lstm = params["lstm"]
    kernel = lstm["input_kernel"][: embedding.shape[-1]]
    return Feedback(
        strength=strength_feedback(params["attention"]["strength"], embedding),
        gates=dense(embedding, kernel, lstm["bias"]),
    )


def step_kernels(params: Params) -> Kernels:
    """The kernels of a step's two products: all that reads h_{t-1}, and what reads c_t."""
    attention, lstm = params["attention"], params["lstm"]
    hidden_size = lstm["recurrent_kernel"].shape[0]
    memory_size = attention["score"]["memory_kernel"].shape[0]
    from_hidden = [
        attention["score"]["query_kernel"],
        attention["strength"]["kernel"][:hidden_size],
        lstm["recurrent_kernel"],
    ]
    return {
        "hidden": jnp.concatenate(from_hidden, axis=1),
        "context": lstm["input_kernel"][-memory_size:],
    }


def decoder_step(
    params: Params,
    product: Product,
    state: DecoderState,
    feedback: Feedback,
    memory: Memory,
    **attention_options,
) -> tuple[DecoderState, FlexibleAttentionOutput]:
    """One step: attend with h_{t-1}, then the LSTM reads [i_t; c_t].

    product: `product(name, x)` is `x @ step_kernels(params)[name]`.
    attention_options: sigma, threshold and implementation of `flexible_attention`.
    """
    attention_size = params["attention"]["score"]["vector"].shape[0]
    score_query, strength, gates = jnp.split(
        product("hidden", state.hidden), [attention_size, 2 * attention_size], axis=-1
    )
    attended = attend_projected(
        params["attention"],
        score_query,
        strength + feedback.strength,
        state.focus,
        memory,
        **attention_options,
    )
    gates = gates + feedback.gates + product("context", attended.context)
    hidden, cell = lstm_update(gates, state.cell)
    return DecoderState(hidden, cell, attended.focus), attended


def bottleneck(params: Params, hidden: Float[Array, "*N H"]) -> Float[Array, "*N F"]:
    """The linear layer that keeps the output layer's connections few."""
    return dense(hidden, params["bottleneck"]["kernel"], params["bottleneck"]["bias"])


def logits(params: Params, bottleneck: Float[Array, "*N F"]) -> Float[Array, "*N V"]:
    """Unnormalised log probabilities of all words."""
    return dense(bottleneck, params["output"]["kernel"], params["output"]["bias"])
