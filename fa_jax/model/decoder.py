"""The decoder: attention, one LSTM, a bottleneck before the softmax (VS 5.1)."""

from dataclasses import fields

import jax
import jax.numpy as jnp
from flax import struct
from flax.linen import initializers
from jaxtyping import Array, Float, PRNGKeyArray

from fa_jax.attention import (
    AttentionConfig,
    AttentionOutput,
    AttentionState,
    Memory,
    attend_projected,
    attention_kernels,
    init_attention,
    initial_attention_state,
    project,
)
from fa_jax.attention.attend import Parts
from fa_jax.attention.params import Params
from fa_jax.config import ModelConfig
from fa_jax.model.dense import dense
from fa_jax.model.hoisted_scan import Kernels, Product
from fa_jax.model.lstm import init_lstm, lstm_update


@struct.dataclass
class DecoderState:
    """What one step hands to the next: h_t, the LSTM's cell, where attention was."""

    hidden: Float[Array, "B *K H"]
    cell: Float[Array, "B *K H"]
    attention: AttentionState


@struct.dataclass
class Feedback:
    """What the word fed back adds to the parts of attention and to the gates."""

    attention: Parts
    gates: Float[Array, "B *K G"]


def init_decoder(key: PRNGKeyArray, config: ModelConfig, vocabulary_size: int) -> Params:
    keys = jax.random.split(key, 6)
    glorot = initializers.glorot_uniform()
    embedding_size, size = config.embedding_size, config.decoder_size
    attention = init_attention(
        keys[0],
        attention_config(config),
        query_size=size,
        memory_size=2 * config.encoder_size,
        feedback_size=embedding_size,
        attention_size=config.attention_size,
    )
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


def attention_config(config: ModelConfig) -> AttentionConfig:
    """The part of a model's settings that its attention reads."""
    shared = {field.name for field in fields(AttentionConfig)}
    return AttentionConfig(**{k: v for k, v in vars(config).items() if k in shared})


def _init_dense(key: PRNGKeyArray, input_size: int, size: int) -> Params:
    kernel = initializers.glorot_uniform()(key, (input_size, size))
    return {"kernel": kernel, "bias": jnp.zeros(size)}


def decoder_start(params: Params, memory: Memory) -> DecoderState:
    """h_0 = tanh(W · backward encoder state at s = 0), c_0 = 0, p_0 = 0."""
    backward_size = params["start"]["kernel"].shape[0]
    first = memory.annotations[:, 0, -backward_size:]
    hidden = jnp.tanh(first @ params["start"]["kernel"])
    return DecoderState(hidden, jnp.zeros_like(hidden), initial_attention_state(memory))


def feed_back(params: Params, config: ModelConfig, embedding: Float[Array, "*N E"]) -> Feedback:
    """The products that read i_t: known before the step where the words are."""
    lstm = params["lstm"]
    kernel = lstm["input_kernel"][: embedding.shape[-1]]
    _, for_feedback = _attention_kernels(params, config)
    return Feedback(
        attention=project("feedback", for_feedback, embedding),
        gates=dense(embedding, kernel, lstm["bias"]),
    )


def step_kernels(params: Params, config: ModelConfig) -> Kernels:
    """The kernels of a step's two products: all that reads h_{t-1}, and what reads c_t."""
    lstm = params["lstm"]
    for_query, _ = _attention_kernels(params, config)
    from_hidden = [kernel for kernel in for_query if kernel is not None]
    return {
        "hidden": jnp.concatenate([*from_hidden, lstm["recurrent_kernel"]], axis=1),
        "context": lstm["input_kernel"][config.embedding_size :],
    }


def _attention_kernels(params: Params, config: ModelConfig) -> tuple[Parts, Parts]:
    return attention_kernels(params["attention"], attention_config(config), config.decoder_size)


def decoder_step(
    params: Params,
    config: ModelConfig,
    product: Product,
    state: DecoderState,
    feedback: Feedback,
    memory: Memory,
    **attention_options,
) -> tuple[DecoderState, AttentionOutput]:
    """One step: attend with h_{t-1}, then the LSTM reads [i_t; c_t].

    product: `product(name, x)` is `x @ step_kernels(params, config)[name]`.
    attention_options: threshold and implementation of `attend`.
    """
    for_query, _ = _attention_kernels(params, config)
    widths = [0 if kernel is None else kernel.shape[1] for kernel in for_query]
    *parts, gates = jnp.split(product("hidden", state.hidden), [widths[0], sum(widths)], axis=-1)
    attended = attend_projected(
        params["attention"],
        attention_config(config),
        state.hidden,
        tuple(part if width else None for part, width in zip(parts, widths, strict=True)),
        feedback.attention,
        state.attention,
        memory,
        **attention_options,
    )
    gates = gates + feedback.gates + product("context", attended.context)
    hidden, cell = lstm_update(gates, state.cell)
    return DecoderState(hidden, cell, attended.state), attended


def bottleneck(params: Params, hidden: Float[Array, "*N H"]) -> Float[Array, "*N F"]:
    """The linear layer that keeps the output layer's connections few."""
    return dense(hidden, params["bottleneck"]["kernel"], params["bottleneck"]["bias"])


def logits(params: Params, bottleneck: Float[Array, "*N F"]) -> Float[Array, "*N V"]:
    """Unnormalised log probabilities of all words."""
    return dense(bottleneck, params["output"]["kernel"], params["output"]["bias"])
