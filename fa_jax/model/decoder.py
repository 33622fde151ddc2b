"""The decoder: attention, LSTMs above each other, a bottleneck, the softmax.

Shu and Nakayama (2017, 5.1) attend with the state before the step, Luong et al. (2015) with the
one that the step has reached (`ModelConfig.query`).
"""

from collections.abc import Sequence

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
from fa_jax.model.encoder import LastState
from fa_jax.model.hoisted_scan import Kernels, Product
from fa_jax.model.lstm import init_lstm, lstm_update


@struct.dataclass
class DecoderState:
    """What one step hands to the next: h_t of each layer, first to top, their cells in float32,
    where attention was.

    attentional: `h̃_t = tanh(W [c_t; h_t])` (Luong et al. 2015, Eq. 5), where words are written from
    it.
    """

    hidden: list[Float[Array, "B *K H"]]
    cell: list[Float[Array, "B *K H"]]
    attention: AttentionState
    attentional: Float[Array, "B *K H"] | None

    @property
    def output(self) -> Float[Array, "B *K H"]:
        """What words are written from."""
        return self.hidden[-1] if self.attentional is None else self.attentional


Feedback = tuple[Parts, Float[Array, "*N G"]]
"""What the word fed back adds to the parts of attention, and to the first layer's gates."""


def init_decoder(key: PRNGKeyArray, config: ModelConfig, vocabulary_size: int) -> Params:
    """All parameters, a nested dict of float32 arrays. vocabulary_size: V of the target.

    The first layer's stand by themselves, those of the others in "upper".
    """
    keys = jax.random.split(key, 6)
    glorot = initializers.glorot_uniform()
    embedding_size, size = config.embedding_size, config.decoder_size
    normal = initializers.normal(embedding_size**-0.5)
    read_size = config.annotation_size if config.query == "previous" else 0
    fed_size = size if config.input_feeding else 0
    input_size = embedding_size + read_size + fed_size
    params = {
        "embedding": normal(keys[1], (vocabulary_size, embedding_size)),
        "attention": init_attention(
            keys[0],
            config.attention,
            query_size=size,
            memory_size=config.annotation_size,
            feedback_size=embedding_size,
            attention_size=config.attention_size,
        ),
        **_init_layer((keys[2], keys[3]), config, input_size),
        "bottleneck": init_dense(keys[4], size, config.bottleneck_size),
        "output": init_dense(keys[5], config.bottleneck_size, vocabulary_size),
    }
    if config.writes_attentional:
        shape = config.annotation_size + size, size
        params["attentional"] = {"kernel": glorot(jax.random.fold_in(key, 6), shape)}
    if config.layers > 1:
        pairs = jax.random.split(jax.random.fold_in(key, 7), (config.layers - 1, 2))
        params["upper"] = [_init_layer(pair, config, size) for pair in pairs]
    return params


def _init_layer(keys, config: ModelConfig, input_size: int) -> Params:
    """An LSTM, and how it starts where the encoder reads in both directions."""
    start_key, lstm_key = keys
    lstm = {"lstm": init_lstm(lstm_key, input_size, config.decoder_size)}
    if config.directions != "both":
        return lstm
    shape = config.encoder_size, config.decoder_size
    return lstm | {"start": {"kernel": initializers.glorot_uniform()(start_key, shape)}}


def _layers(params: Params) -> list[Params]:
    return [params, *params.get("upper", ())]


def decoder_start(
    params: Params,
    config: ModelConfig,
    memory: Memory,
    ends: Sequence[LastState],
    training_keys: Key[Array, " B"] | None = None,
) -> DecoderState:
    """The state before the first step; p_0 = 0, h̃_0 = 0.

    Each layer starts from the encoder layer's beside it: h_0 = tanh(W · backward state at s = 0)
    and c_0 = 0, or, where the encoder reads in one direction, its last state and cell as they are.

    ends: of the encoder's layers. training_keys: in training, a random key a sentence, for
    attention that decides at random.
    """
    starts = [_start(layer, *end) for layer, end in zip(_layers(params), ends, strict=True)]
    hidden, cell = map(list, zip(*starts, strict=True))
    attention = initial_attention_state(memory, config.attention, training_keys)
    attentional = jnp.zeros_like(hidden[0]) if config.writes_attentional else None
    return DecoderState(hidden, cell, attention, attentional)


def _start(layer: Params, hidden: Array, cell: Array) -> tuple[Array, Array]:
    if "start" not in layer:
        return hidden, at_least_float32(cell)
    hidden = jnp.tanh(dense(hidden, **layer["start"]))
    return hidden, at_least_float32(jnp.zeros_like(hidden))


def feed_back(params: Params, config: ModelConfig, embedding: Float[Array, "*N E"]) -> Feedback:
    """The products that read i_t, a word's embedding: known before the step where the word is."""
    lstm = params["lstm"]
    kernel = lstm["input_kernel"][: embedding.shape[-1]]
    _, for_feedback = _attention_kernels(params, config)
    for_attention = tuple(
        None if kernel is None else dense(embedding, kernel) for kernel in for_feedback
    )
    return for_attention, dense(embedding, kernel, lstm["bias"])


def step_kernels(params: Params, config: ModelConfig) -> Kernels:
    """The kernels of a step's products.

    recurrent: the first layer's gates from its h_{t-1}; and, where the same state attends, what
    attention reads of it, in front. query: what attention reads of any other state. fed: gates from
    c_t and h̃_{t-1}, as far as they are read. upper1, upper2, …: a layer's gates from [h_t of the
    layer below; its own h_{t-1}]. attentional: h̃_t from [c_t; h_t].
    """
    for_query, _ = _attention_kernels(params, config)
    recurrent = [params["lstm"]["recurrent_kernel"]]
    query = [kernel for kernel in for_query if kernel is not None]
    if _first_attends(config):
        query, recurrent = [], [*query, *recurrent]
    kernels = {
        "recurrent": jnp.concatenate(recurrent, axis=1),
        "fed": params["lstm"]["input_kernel"][config.embedding_size :],
    }
    if query:
        kernels["query"] = jnp.concatenate(query, axis=1)
    for number, layer in enumerate(params.get("upper", ()), start=1):
        both = layer["lstm"]["input_kernel"], layer["lstm"]["recurrent_kernel"]
        kernels[f"upper{number}"] = jnp.concatenate(both)
    if config.writes_attentional:
        kernels["attentional"] = params["attentional"]["kernel"]
    return {name: kernel for name, kernel in kernels.items() if kernel.size}


def step_params(params: Params) -> Params:
    """What a step reads beside its kernels: of attention all, of other layers their biases."""
    upper = [{"lstm": {"bias": layer["lstm"]["bias"]}} for layer in params.get("upper", ())]
    return {"attention": params["attention"], "upper": upper}


def _attention_kernels(params: Params, config: ModelConfig) -> tuple[Parts, Parts]:
    return attention_kernels(params["attention"], config.attention, config.decoder_size)


def _first_attends(config: ModelConfig) -> bool:
    """One product reads h_{t-1} for attention and for the gates."""
    return config.layers == 1 and config.query == "previous"


def decoder_step(
    params: Params,
    config: ModelConfig,
    product: Product,
    state: DecoderState,
    feedback: Feedback,
    memory: Memory,
    kept: Float[Array, "*N U"] | None = None,
    **attention_options,
) -> tuple[DecoderState, AttentionOutput]:
    """One step.

    With the state before it, h_{t-1}: attend, then the LSTMs read [i_t; c_t], and h̃_{t-1} where it
    is fed. With its own state, h_t: the LSTMs read i_t, and h̃_{t-1} where it is fed, then attend.

    params: `step_params` suffice, in the precision of the products. product: `product(name, x)` is
    `x @ step_kernels(params, config)[name]`, which may be more precise than x. feedback: of this
    step's word. kept: in training, what dropout between the layers multiplies their states by.
    attention_options: threshold, implementation and details of `attend`.
    """
    for_attention, gates = feedback
    for_query, _ = _attention_kernels(params, config)
    widths = [0 if kernel is None else kernel.shape[1] for kernel in for_query]
    dtype = state.hidden[0].dtype

    def attend(query: Array, sums: Array | None) -> AttentionOutput:
        """sums: what attention reads of the query in one product, parts in one."""
        parts = (None, None) if sums is None else jnp.split(sums, widths[:1], axis=-1)
        parts = [p.astype(dtype) if width else None for p, width in zip(parts, widths, strict=True)]
        return attend_projected(
            params["attention"],
            config.attention,
            query,
            tuple(parts),
            for_attention,
            state.attention,
            memory,
            **attention_options,
        )

    def attend_with(query: Array) -> AttentionOutput:
        return attend(query, product("query", query) if sum(widths) else None)

    recurrent = product("recurrent", state.hidden[0])
    fed = [state.attentional] if config.input_feeding else []
    if _first_attends(config):
        sums, recurrent = jnp.split(recurrent, [sum(widths)], axis=-1)
        attended = attend(state.hidden[0], sums)
    elif config.query == "previous":
        attended = attend_with(state.hidden[-1])
    if config.query == "previous":
        fed = [attended.context, *fed]
    gates = gates + recurrent
    if fed:
        gates = gates + product("fed", jnp.concatenate(fed, axis=-1))
    hidden, cell = _advance(params.get("upper", ()), product, gates, state, kept)
    if config.query == "current":
        attended = attend_with(hidden[-1])
    attentional = state.attentional
    if attentional is not None:
        both = jnp.concatenate([attended.context, hidden[-1]], axis=-1)
        attentional = jnp.tanh(product("attentional", both)).astype(dtype)
    return DecoderState(hidden, cell, attended.state, attentional), attended


def _advance(
    upper: Sequence[Params],
    product: Product,
    gates: Float[Array, "B *K G"],
    state: DecoderState,
    kept: Float[Array, "*N U"] | None,
) -> tuple[list[Array], list[Array]]:
    """All layers, from the first layer's gates: hidden states and cells."""
    hidden, cells = [], []
    masks = [None] * len(upper) if kept is None else jnp.split(kept, len(upper), axis=-1)
    for number, (own, cell) in enumerate(zip(state.hidden, state.cell, strict=True)):
        if number:
            mask = masks[number - 1]
            below = hidden[-1] if mask is None else hidden[-1] * mask
            both = jnp.concatenate([below, own], axis=-1)
            gates = product(f"upper{number}", both) + upper[number - 1]["lstm"]["bias"]
        new, cell = lstm_update(gates, cell)
        hidden.append(new.astype(own.dtype))
        cells.append(cell)
    return hidden, cells


def bottleneck(params: Params, output: Float[Array, "*N H"]) -> Float[Array, "*N F"]:
    """The linear layer that keeps the output layer's connections few."""
    return dense(output, **params["bottleneck"])


def logits(params: Params, bottleneck: Float[Array, "*N F"]) -> Float[Array, "*N V"]:
    """Unnormalised log probabilities of all words, in float32."""
    return dense(bottleneck, **params["output"], dtype=jnp.float32)
