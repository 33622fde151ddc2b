"""The encoder, with the decoder: parameters, and the probability of a given translation."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import optax
from flax import struct
from flax.linen import initializers
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray, PyTree

from fa_jax.attention import AttentionOutput, Memory, prepare_memory
from fa_jax.attention.params import Params
from fa_jax.config import ModelConfig
from fa_jax.data.vocabulary import BEGIN
from fa_jax.model import decoder
from fa_jax.model.hoisted_scan import hoisted_scan
from fa_jax.model.layers import dense, dropout, init_contextualize, sentence_context, split_keys
from fa_jax.model.lstm import init_lstm, lstm_states


@struct.dataclass
class Source:
    """A source sentence as decoding needs it.

    start: the decoder's first state. gate: what passes of the target's embeddings; None: all.
    """

    memory: Memory
    start: decoder.DecoderState
    gate: Float[Array, "B E"] | None


def init_encoder_decoder(
    key: PRNGKeyArray, config: ModelConfig, source_vocabulary: int, target_vocabulary: int
) -> Params:
    """All parameters, a nested dict of float32 arrays, for vocabularies of so many words."""
    encoder_key, decoder_key = jax.random.split(key)
    embedding_key, forward_key, backward_key = jax.random.split(encoder_key, 3)
    embedding_size, size = config.embedding_size, config.encoder_size
    normal = initializers.normal(embedding_size**-0.5)
    params = {
        "encoder": {
            "embedding": normal(embedding_key, (source_vocabulary, embedding_size)),
            "forward": init_lstm(forward_key, embedding_size, size),
            "backward": init_lstm(backward_key, embedding_size, size),
        },
        "decoder": decoder.init_decoder(decoder_key, config, target_vocabulary),
    }
    if config.contextualize:
        params["context"] = init_contextualize(jax.random.fold_in(key, 2), embedding_size)
    return params


def cast_for_compute(params: Params, config: ModelConfig) -> Params:
    """Parameters in the precision of the products. Gradients through it are rounded to that."""
    return jax.tree.map(lambda leaf: leaf.astype(config.compute_dtype), params)


def read_source(
    params: Params,
    config: ModelConfig,
    source: Int[Array, "B S"],
    lengths: Int[Array, " B"],
    dropout_keys: Key[Array, " B"] | None = None,
    attention_keys: Key[Array, " B"] | None = None,
) -> Source:
    """Reads sentences once, before decoding.

    params: float32, or cast. source: words, padded to S. lengths: each sentence's own.
    dropout_keys, attention_keys: in training, random keys, one a sentence.
    """
    embedded = params["encoder"]["embedding"][source.T].astype(config.compute_dtype)
    target_gate = None
    if config.contextualize:
        context = sentence_context(params["context"], embedded, lengths)
        source_gate, target_gate = (
            jax.nn.sigmoid(dense(context, **params["context"][name]))
            for name in ("source_gate", "target_gate")
        )
        embedded = embedded * source_gate
    embedded = dropout(embedded, config.dropout, dropout_keys)
    annotations = _encode(params["encoder"], embedded, lengths)
    attention = cast_for_compute(params["decoder"]["attention"], config)
    memory = prepare_memory(attention, annotations, lengths, config.attention)
    start = decoder.decoder_start(params["decoder"], config, memory, attention_keys)
    return Source(memory, start, target_gate)


def _encode(
    params: Params, embedded: Float[Array, "S B E"], lengths: Int[Array, " B"]
) -> Float[Array, "B S D"]:
    """Annotations h̄_s: forward and backward state at each position, D = 2 · encoder_size.

    The bidirectional LSTM of Bahdanau et al. (2015) and VS 5.1. Padding reads nothing.
    """
    inside = jnp.arange(len(embedded))[:, None] < lengths
    # The backward LSTM reads the reversed sentence; both advance in one scan.
    both = (params["forward"], embedded), (params["backward"], embedded[::-1])
    inputs = [dense(read, lstm["input_kernel"], lstm["bias"]) for lstm, read in both]
    states = lstm_states(
        jnp.stack([lstm["recurrent_kernel"] for lstm, _ in both]),
        jnp.stack(inputs, axis=1),
        jnp.stack([inside, inside[::-1]], axis=1),
    )
    return jnp.concatenate([states[:, 0], states[::-1, 1]], axis=-1).swapaxes(0, 1)


def embed_target(params: Params, source: Source, words: Int[Array, "B N"]) -> Float[Array, "B N E"]:
    """Embeddings of words fed back, N of each sentence that was read."""
    embedded = params["decoder"]["embedding"][words].astype(source.memory.annotations.dtype)
    return embedded if source.gate is None else embedded * source.gate[:, None]


def force_translation(
    params: Params,
    config: ModelConfig,
    source: Int[Array, "B S"],
    source_lengths: Int[Array, " B"],
    target: Int[Array, "B T"],
    *,
    threshold: float | Float[Array, ""] = jnp.inf,
    implementation: str | None = "dense",
    training_keys: Key[Array, " B"] | None = None,
    details: bool = True,
    collect: Callable[[AttentionOutput], PyTree] = lambda attended: attended,
) -> tuple[Float[Array, "T B F"], PyTree]:
    """The decoder's steps while it is fed the target's words.

    Returns what the output layer reads, and what attention did: leaves [T, B, ...].

    params: float32, so that gradients are not rounded, or cast. source, target: words, padded to S
    and T. threshold, implementation: of `attend`. training_keys: in training, a random key a
    sentence. collect: what is kept of each step's attention. details: whether it needs weights.
    """
    keys = split_keys(training_keys, 4)
    read = read_source(params, config, source, source_lengths, keys[0], keys[3])

    fed_back = jnp.pad(target[:, :-1], ((0, 0), (1, 0)), constant_values=BEGIN)
    embedded = embed_target(params, read, fed_back).swapaxes(0, 1)
    embedded = dropout(embedded, config.dropout, keys[1])

    def step(product, constants, state, feedback):
        attention, memory, threshold = constants
        state, attended = decoder.decoder_step(
            {"attention": cast_for_compute(attention, config)},
            config,
            product,
            state,
            feedback,
            memory,
            threshold=threshold,
            implementation=implementation,
            details=details,
        )
        return state, (state.output, collect(attended))

    _, (output, attention) = hoisted_scan(
        step,
        config.rematerialize,
        decoder.step_kernels(params["decoder"], config),
        (params["decoder"]["attention"], read.memory, jnp.float32(threshold)),
        read.start,
        decoder.feed_back(params["decoder"], config, embedded),
    )
    bottleneck = decoder.bottleneck(params["decoder"], output)
    return dropout(bottleneck, config.dropout, keys[2]), attention


def word_log_probs(
    params: Params, bottleneck: Float[Array, "T B F"], target: Int[Array, "B T"]
) -> Float[Array, "B T"]:
    """Log probability, in nats, of each target word given the ones before it.

    bottleneck: of `force_translation` with the same params and target.
    """
    logits = decoder.logits(params["decoder"], bottleneck)
    return -optax.losses.softmax_cross_entropy_with_integer_labels(logits, target.T).T
