"""The decoder: attention, LSTMs above each other, a bottleneck, the softmax."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from flax.linen import initializers
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

from fa_jax.attention import (
    AttentionOutput,
    AttentionState,
    Memory,
    init_attention,
    initial_attention_state,
)
from fa_jax.attention.attend import Parts, attend_projected, attention_kernels
from fa_jax.attention.score import glorot
from fa_jax.attention.step import Params
from fa_jax.config import ModelConfig
from fa_jax.model.fused import Kernels, Products
from fa_jax.model.lstm import State, init_lstm, lstm_update
from fa_jax.model.product import dense, init_dense

Feedback = tuple[Parts, Float[Array, "*N G"]]
"""What attention and the first layer's gates read of the word fed back."""


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

    def looking_at(self, place: Float[Array, "*B"] | Int[Array, "*B"]) -> "DecoderState":
        """With the focus there; as it is where a place is below 0."""
        focus = self.attention.focus
        focus = jnp.where(place < 0, focus, place.astype(focus.dtype))
        return self.replace(attention=self.attention.replace(focus=focus))


def decoder_step(
    params: Params,
    config: ModelConfig,
    products: Products,
    state: DecoderState,
    feedback: Feedback,
    memory: Memory,
    masks: Sequence[Float[Array, "B H"]] = (),
    **attention_options: Any,
) -> tuple[DecoderState, AttentionOutput]:
    """One step: c_t, h_t, and what words are written from. i_t is the word fed back.

    query "previous" (Shu and Nakayama 2017, 5.1):
      c_t = attend(h_{t-1}, i_t), then h_t = LSTM(h_{t-1}, [i_t; c_t]).
    query "current" (Luong et al. 2015):
      h_t = LSTM(h_{t-1}, i_t), then c_t = attend(h_t, i_t).
    With input feeding, the LSTM reads h̃_{t-1}, too.

    params: `step_params` suffice, in the precision of the products. products: with `step_kernels`;
    they may be more precise. feedback: of `feed_back`. masks: in training, dropout's factors of
    each layer's h_t on its way to the layer above. attention_options: threshold, implementation and
    details of `attend`.
    """
    for_attention, gates = feedback
    last = state.hidden[-1]

    def attend(query: Float[Array, "B *K H"], of_query: Parts) -> AttentionOutput:
        of_query = jax.tree.map(lambda part: part.astype(query.dtype), of_query)
        parts = query, of_query, for_attention, state.attention, memory
        return attend_projected(params["attention"], config.attention, *parts, **attention_options)

    # One product reads h_{t-1} for the gates and, where the same state attends, for attention.
    of_query = products("recurrent", state.hidden[0])
    recurrent = of_query.pop("gates")
    gates = gates.astype(recurrent.dtype) + recurrent
    fed = [state.attentional] if config.input_feeding else []
    if config.query == "previous":
        attended = attend(last, of_query or products("query", last))
        fed = [attended.context, *fed]
    if fed:
        gates = gates + products("fed", *fed)["gates"]
    hidden, cell = _lstms(params, products, state, gates, masks)
    if config.query == "current":
        attended = attend(hidden[-1], products("query", hidden[-1]))

    attentional = None
    if config.writes_attentional:
        sums = products("attentional", attended.context, hidden[-1])["state"]
        attentional = jnp.tanh(sums).astype(last.dtype)
    return DecoderState(hidden, cell, attended.state, attentional), attended


def _lstms(
    params: Params,
    products: Products,
    state: DecoderState,
    gates: Float[Array, "B *K G"],
    masks: Sequence[Float[Array, "B H"]],
) -> tuple[list[Array], list[Array]]:
    """h_t and cell of each layer. gates: sums of the first layer's."""
    hidden, cells = [], []
    for layer, (last, cell) in enumerate(zip(state.hidden, state.cell, strict=True)):
        if layer:
            below = hidden[-1] * masks[layer - 1] if masks else hidden[-1]
            sums = products(f"upper{layer}", below, last)["gates"]
            bias = params["upper"][layer - 1]["lstm"]["bias"]
            gates = sums + jnp.expand_dims(bias, range(sums.ndim - 1))
        new, cell = lstm_update(gates, cell)
        hidden.append(new.astype(last.dtype))
        cells.append(cell)
    return hidden, cells


def feed_back(params: Params, config: ModelConfig, embedding: Float[Array, "*N E"]) -> Feedback:
    """The products that read i_t, a word's embedding: known before the step where the word is."""
    lstm = params["lstm"]
    _, kernels = attention_kernels(params["attention"], config.attention, config.decoder_size)
    for_attention = jax.tree.map(lambda kernel: dense(embedding, kernel), kernels)
    kernel = lstm["input_kernel"][: config.embedding_size]
    return for_attention, dense(embedding, kernel, lstm["bias"])


def step_kernels(params: Params, config: ModelConfig) -> Kernels:
    """The kernels of a step, by the input that they read.

    recurrent: h_{t-1} of the first layer; for its gates, behind those of attention where the same
    state attends. query: any other state that attends. fed: [c_t; h̃_{t-1}], as far as the first
    layer reads them. upper1, upper2, …: [h_t of the layer below; the layer's own h_{t-1}].
    attentional: [c_t; h_t].
    """
    lstm = params["lstm"]
    query, _ = attention_kernels(params["attention"], config.attention, config.decoder_size)
    gates = {"gates": lstm["recurrent_kernel"]}
    kernels = {"recurrent": gates, "query": query}
    if config.layers == 1 and config.query == "previous":
        kernels = {"recurrent": query | gates, "query": {}}
    if config.query == "previous" or config.input_feeding:
        kernels["fed"] = {"gates": lstm["input_kernel"][config.embedding_size :]}
    for number, layer in enumerate(params.get("upper", ()), start=1):
        both = layer["lstm"]["input_kernel"], layer["lstm"]["recurrent_kernel"]
        kernels[f"upper{number}"] = {"gates": jnp.concatenate(both)}
    if config.writes_attentional:
        kernels["attentional"] = {"state": params["attentional"]["kernel"]}
    return kernels


def step_params(params: Params) -> Params:
    """What a step reads beside its kernels: of attention all, of other layers their biases."""
    upper = [{"lstm": {"bias": layer["lstm"]["bias"]}} for layer in params.get("upper", ())]
    return {"attention": params["attention"], "upper": upper}


def bottleneck(params: Params, output: Float[Array, "*N H"]) -> Float[Array, "*N F"]:
    """The linear layer that keeps the output layer's connections few."""
    return dense(output, **params["bottleneck"])


def logits(params: Params, bottleneck: Float[Array, "*N F"]) -> Float[Array, "*N V"]:
    """Unnormalised log probabilities of all words, in float32."""
    return dense(bottleneck, **params["output"], dtype=jnp.float32)


def decoder_start(
    params: Params,
    config: ModelConfig,
    memory: Memory,
    ends: Sequence[State],
    training_keys: Key[Array, " B"] | None = None,
) -> DecoderState:
    """The state before the first step; p_0 = 0, h̃_0 = 0.

    Each layer starts from the encoder layer's beside it: h_0 = tanh(W · backward state at s = 0)
    and c_0 = 0, or, where the encoder reads in one direction, its last state and cell as they are.

    ends: of the encoder's layers. training_keys: in training, a random key a sentence, for
    attention that decides at random.
    """
    layers = [params, *params.get("upper", ())]
    hiddens, cells = [], []
    for layer, (hidden, cell) in zip(layers, ends, strict=True):
        if "start" in layer:
            hidden = jnp.tanh(dense(hidden, **layer["start"]))
            cell = jnp.zeros_like(hidden, cell.dtype)
        hiddens.append(hidden)
        cells.append(cell)
    attention = initial_attention_state(memory, config.attention, training_keys)
    attentional = jnp.zeros_like(hiddens[0]) if config.writes_attentional else None
    return DecoderState(hiddens, cells, attention, attentional)


def init_decoder(key: PRNGKeyArray, config: ModelConfig, vocabulary_size: int) -> Params:
    """All parameters, a nested dict of float32 arrays. vocabulary_size: V of the target.

    The first layer's stand by themselves, those of the others in "upper".
    """
    keys = jax.random.split(key, 6)
    embedding_size, size = config.embedding_size, config.decoder_size
    normal = initializers.normal(embedding_size**-0.5)
    context_size = config.annotation_size if config.query == "previous" else 0
    input_size = embedding_size + context_size + (size if config.input_feeding else 0)
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
        kernel = glorot(jax.random.fold_in(key, 6), config.annotation_size + size, size)
        params["attentional"] = {"kernel": kernel}
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
    return lstm | {"start": {"kernel": glorot(start_key, config.encoder_size, config.decoder_size)}}
