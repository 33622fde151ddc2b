"""Encoder and decoder together: parameters, and the probability of a given translation."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import optax
from flax import struct
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray, PyTree

from fa_jax.attention import AttentionOutput, Memory
from fa_jax.attention.implementation import Implementation
from fa_jax.attention.memory import prepared_in_chunks
from fa_jax.attention.step import Params
from fa_jax.config import ModelConfig
from fa_jax.data.vocabulary import BEGIN, END
from fa_jax.model import decoder
from fa_jax.model.contextualize import gate, init_contextualize, sentence_context
from fa_jax.model.dropout import dropout, split_keys
from fa_jax.model.encoder import encode, init_encoder
from fa_jax.model.fused import fuse, fused_products
from fa_jax.model.hoisted_scan import hoisted_scan


@struct.dataclass
class Source:
    """A source sentence as decoding needs it.

    start: the decoder's first state. gate: what passes of the target's embeddings; None: all.
    dropout_keys: in training, one a sentence for words fed back, for what is between the decoder's
    layers, and for the bottleneck.
    """

    memory: Memory
    start: decoder.DecoderState
    gate: Float[Array, "B E"] | None
    dropout_keys: tuple[Key[Array, " B"] | None, ...]


def init_encoder_decoder(
    key: PRNGKeyArray, config: ModelConfig, source_vocabulary: int, target_vocabulary: int
) -> Params:
    """All parameters, a nested dict of float32 arrays, for vocabularies of so many words."""
    encoder_key, decoder_key = jax.random.split(key)
    params = {
        "encoder": init_encoder(encoder_key, config, source_vocabulary),
        "decoder": decoder.init_decoder(decoder_key, config, target_vocabulary),
    }
    if config.contextualize:
        params["context"] = init_contextualize(jax.random.fold_in(key, 2), config.embedding_size)
    return jax.tree.map(jnp.float32, params)  # JAX's own default is float64 where x64 is enabled


def cast_for_compute(params: Params, config: ModelConfig) -> Params:
    """Parameters in the precision of the products. Gradients through it are rounded to that."""
    return jax.tree.map(lambda leaf: leaf.astype(config.compute_dtype), params)


def read_source(
    params: Params,
    config: ModelConfig,
    source: Int[Array, "B S"],
    lengths: Int[Array, " B"],
    training_keys: Key[Array, " B"] | None = None,
    longest: Int[Array, ""] | None = None,
) -> Source:
    """Reads sentences once, before decoding.

    params: float32, or cast. source: words, padded to S. lengths: each sentence's own.
    training_keys: in training, a random key a sentence, for dropout and spans. longest: as of
    `encode`.
    """
    reading, embedding, bottleneck, attending, between = split_keys(training_keys, 5)
    embedded = params["encoder"]["embedding"][source.T].astype(config.compute_dtype)
    target_gate = None
    if config.contextualize:
        context = sentence_context(params["context"], embedded, lengths, longest)
        embedded = embedded * gate(params["context"]["source_gate"], context)[None]
        target_gate = gate(params["context"]["target_gate"], context)
    annotations, ends = encode(params["encoder"], config, embedded, lengths, reading, longest)
    attention = cast_for_compute(params["decoder"]["attention"], config)
    memory = prepared_in_chunks(attention, annotations, lengths, config.attention, longest)
    start = decoder.decoder_start(params["decoder"], config, memory, ends, attending)
    return Source(memory, start, target_gate, (embedding, between, bottleneck))


def embed_target(
    params: Params, source: Source, words: Int[Array, "B *N"]
) -> Float[Array, "B *N E"]:
    """Embeddings of words fed back, one or N of each sentence that was read."""
    embedded = params["decoder"]["embedding"][words].astype(source.memory.annotations.dtype)
    if source.gate is None:
        return embedded
    return embedded * jnp.expand_dims(source.gate, range(1, words.ndim))


def force_translation(
    params: Params,
    config: ModelConfig,
    read: Source,
    source: Int[Array, "B S"],
    target: Int[Array, "B T"],
    *,
    threshold: float | Float[Array, ""] | Float[Array, "B 1"] = jnp.inf,
    implementation: Implementation = "dense",
    collect: Callable[[AttentionOutput], PyTree] = lambda attended: attended,
) -> tuple[Float[Array, "T B F"], PyTree]:
    """The decoder's steps while it is fed the target's words.

    Returns what the output layer reads, and what attention did: leaves [T, B, ...].

    params: float32, so that gradients are not rounded, or cast. read: the sources. source, target:
    words, padded to S and T; where they have several lines, attention begins each where the source
    does (`line_begins`). threshold, implementation: of `attend`; only "dense" has details. collect:
    what is kept of each step's attention.
    """
    embedding_keys, between_keys, bottleneck_keys = read.dropout_keys
    fed_back = jnp.pad(target[:, :-1], ((0, 0), (1, 0)), constant_values=BEGIN)
    embedded = embed_target(params, read, fed_back).swapaxes(0, 1)
    embedded = dropout(embedded, config.dropout, embedding_keys)
    masks = _masks(config, embedded, between_keys)
    begins = line_begins(source, fed_back).T
    params, threshold = params["decoder"], jnp.asarray(threshold, jnp.float32)
    kernels = decoder.step_kernels(params, config)

    def step(product, constants, state, inputs):
        params, memory, threshold = constants
        feedback, masks, begin = inputs
        state, attended = decoder.decoder_step(
            cast_for_compute(params, config),
            config,
            fused_products(kernels, product),
            state.looking_at(begin),
            feedback,
            memory,
            masks,
            threshold=threshold,
            implementation=implementation,
            details=implementation == "dense",
        )
        return state, (state.output, collect(attended))

    _, (output, attention) = hoisted_scan(
        step,
        config.rematerialize,
        fuse(kernels),
        (decoder.step_params(params), read.memory, threshold),
        read.start,
        (decoder.feed_back(params, config, embedded), masks, begins),
    )
    return dropout(decoder.bottleneck(params, output), config.dropout, bottleneck_keys), attention


def line_begins(source: Int[Array, "B S"], fed_back: Int[Array, "B T"]) -> Float[Array, "B T"]:
    """The focus that a step starts from where the word before it ended a line: the end of the
    source's line of the same number. -1 where it goes on from the step before.

    Lines have an end of sentence between them.
    """
    ends = source == END
    places = jnp.argsort(~ends, axis=1, stable=True)  # of the ends first
    number = jnp.cumsum(fed_back == END, axis=1)
    known = (fed_back == END) & (number <= ends.sum(1, keepdims=True))
    place = jnp.take_along_axis(places, jnp.maximum(number - 1, 0), axis=1, mode="clip")
    return jnp.where(known, place, -1).astype(jnp.float32)


def _masks(
    config: ModelConfig, embedded: Float[Array, "T B E"], keys: Key[Array, " B"] | None
) -> Sequence[Float[Array, "T B H"]]:
    """What dropout multiplies the states between the decoder's layers by; empty: nothing."""
    between = config.layers - 1
    if keys is None or between == 0 or config.dropout == 0:
        return ()
    ones = jnp.ones((*embedded.shape[:2], between * config.decoder_size), embedded.dtype)
    return jnp.split(dropout(ones, config.dropout, keys), between, axis=-1)


def word_log_probs(
    params: Params, bottleneck: Float[Array, "T B F"], target: Int[Array, "B T"]
) -> Float[Array, "B T"]:
    """Log probability, in nats, of each target word given the ones before it.

    bottleneck: of `force_translation` with the same params and target.
    """
    logits = decoder.logits(params["decoder"], bottleneck)
    return -optax.losses.softmax_cross_entropy_with_integer_labels(logits, target.T).T
