"""The decoder of Shu and Nakayama (2017), 5.1: attention, an LSTM, a bottleneck, the softmax."""

import jax
import jax.numpy as jnp
from flax import struct
from flax.linen import initializers
from jaxtyping import Array, Float, Key, PRNGKeyArray

from fa_jax.attention import (
    AttentionOutput,
    AttentionState,
    Memory,
    init_attention,
    initial_attention_state,
)
from fa_jax.attention.attend import Parts, attend_projected, attention_kernels
from fa_jax.attention.params import Params
from fa_jax.attention.score import at_least_float32
from fa_jax.config import ModelConfig
from fa_jax.model.dense import dense, init_dense
from fa_jax.model.hoisted_scan import Kernels, Product
from fa_jax.model.lstm import init_lstm, lstm_update


@struct.dataclass
class DecoderState:
    """What one step hands to the next: h_t, the LSTM's cell in float32, where attention was.

    attentional: with input feeding `h̃_t = tanh(W [c_t; h_t])` (Luong et al. 2015, Eq. 5).
    """

    hidden: Float[Array, "B *K H"]
    cell: Float[Array, "B *K H"]
    attention: AttentionState
    attentional: Float[Array, "B *K H"] | None

    @property
    def output(self) -> Float[Array, "B *K H"]:
        """What words are written from."""
        return self.hidden if self.attentional is None else self.attentional


Feedback = tuple[Parts, Float[Array, "*N G"]]
"""What the word fed back adds to the parts of attention, and to the gates."""


def init_decoder(key: PRNGKeyArray, config: ModelConfig, vocabulary_size: int) -> Params:
    """All parameters, a nested dict of float32 arrays. vocabulary_size: V of the target."""
    keys = jax.random.split(key, 6)
    glorot = initializers.glorot_uniform()
    embedding_size, size = config.embedding_size, config.decoder_size
    normal = initializers.normal(embedding_size**-0.5)
    annotation_size = 2 * config.encoder_size
    input_size = embedding_size + annotation_size + (size if config.input_feeding else 0)
    params = {
        "embedding": normal(keys[1], (vocabulary_size, embedding_size)),
        "start": {"kernel": glorot(keys[2], (config.encoder_size, size))},
        "attention": init_attention(
            keys[0],
            config.attention,
            query_size=size,
            memory_size=annotation_size,
            feedback_size=embedding_size,
            attention_size=config.attention_size,
        ),
        "lstm": init_lstm(keys[3], input_size, size),
        "bottleneck": init_dense(keys[4], size, config.bottleneck_size),
        "output": init_dense(keys[5], config.bottleneck_size, vocabulary_size),
    }
    if config.input_feeding:
        shape = annotation_size + size, size
        params["attentional"] = {"kernel": glorot(jax.random.fold_in(key, 6), shape)}
    return params


def decoder_start(
    params: Params,
    config: ModelConfig,
    memory: Memory,
    training_keys: Key[Array, " B"] | None = None,
) -> DecoderState:
    """h_0 = tanh(W · backward encoder state at s = 0), c_0 = 0, p_0 = 0, h̃_0 = 0.

    training_keys: in training, a random key a sentence, for attention that decides at random.
    """
    backward_size = params["start"]["kernel"].shape[0]
    first = memory.annotations[:, 0, -backward_size:]
    hidden = jnp.tanh(dense(first, **params["start"]))
    zero = jnp.zeros_like(hidden)
    attention = initial_attention_state(memory, config.attention, training_keys)
    attentional = zero if config.input_feeding else None
    return DecoderState(hidden, at_least_float32(zero), attention, attentional)


def feed_back(params: Params, config: ModelConfig, embedding: Float[Array, "*N E"]) -> Feedback:
    """The products that read i_t, a word's embedding: known before the step where the word is."""
    lstm = params["lstm"]
    kernel = lstm["input_kernel"][: embedding.shape[-1]]
    _, for_feedback = _attention_kernels(params, config)
    for_attention = tuple(None if k is None else dense(embedding, k) for k in for_feedback)
    return for_attention, dense(embedding, kernel, lstm["bias"])


def step_kernels(params: Params, config: ModelConfig) -> Kernels:
    """The kernels of a step's products.

    hidden: all that reads h_{t-1}. context: gates from c_t, and from h̃_{t-1} where it is fed.
    attentional: h̃_t from c_t and h_t.
    """
    lstm = params["lstm"]
    for_query, _ = _attention_kernels(params, config)
    from_hidden = [kernel for kernel in for_query if kernel is not None]
    kernels = {
        "hidden": jnp.concatenate([*from_hidden, lstm["recurrent_kernel"]], axis=1),
        "context": lstm["input_kernel"][config.embedding_size :],
    }
    if config.input_feeding:
        kernels["attentional"] = params["attentional"]["kernel"]
    return kernels


def _attention_kernels(params: Params, config: ModelConfig) -> tuple[Parts, Parts]:
    return attention_kernels(params["attention"], config.attention, config.decoder_size)


def decoder_step(
    params: Params,
    config: ModelConfig,
    product: Product,
    state: DecoderState,
    feedback: Feedback,
    memory: Memory,
    **attention_options,
) -> tuple[DecoderState, AttentionOutput]:
    """One step: attend with h_{t-1}, then the LSTM reads [i_t; c_t], or [i_t; c_t; h̃_{t-1}].

    params: "attention" suffices, in the precision of the products. product: `product(name, x)` is
    `x @ step_kernels(params, config)[name]`, which may be more precise than x. feedback: of this
    step's word. attention_options: threshold, implementation and details of `attend`.
    """
    for_attention, for_gates = feedback
    for_query, _ = _attention_kernels(params, config)
    widths = [0 if kernel is None else kernel.shape[1] for kernel in for_query]
    *parts, gates = jnp.split(product("hidden", state.hidden), [widths[0], sum(widths)], axis=-1)
    dtype = state.hidden.dtype
    attended = attend_projected(
        params["attention"],
        config.attention,
        state.hidden,
        tuple(p.astype(dtype) if width else None for p, width in zip(parts, widths, strict=True)),
        for_attention,
        state.attention,
        memory,
        **attention_options,
    )
    context, attentional = attended.context, state.attentional
    inputs = context if attentional is None else jnp.concatenate([context, attentional], axis=-1)
    hidden, cell = lstm_update(gates + for_gates + product("context", inputs), state.cell)
    hidden = hidden.astype(dtype)
    if attentional is not None:
        attentional = product("attentional", jnp.concatenate([context, hidden], axis=-1))
        attentional = jnp.tanh(attentional).astype(dtype)
    return DecoderState(hidden, cell, attended.state, attentional), attended


def bottleneck(params: Params, output: Float[Array, "*N H"]) -> Float[Array, "*N F"]:
    """The linear layer that keeps the output layer's connections few."""
    return dense(output, **params["bottleneck"])


def logits(params: Params, bottleneck: Float[Array, "*N F"]) -> Float[Array, "*N V"]:
    """Unnormalised log probabilities of all words, in float32."""
    return dense(bottleneck, **params["output"], dtype=jnp.float32)
