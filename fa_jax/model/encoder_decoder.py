"""Encoder and decoder together: parameters, and the probability of a given translation."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import optax
from flax import struct
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray, PyTree

from fa_jax.attention import AttentionOutput, Memory, learn_in_windows
from fa_jax.attention.memory import prepared_in_pieces
from fa_jax.attention.params import Params
from fa_jax.config import ModelConfig
from fa_jax.data.vocabulary import BEGIN, END
from fa_jax.model import decoder
from fa_jax.model.contextualize import gate, init_contextualize, sentence_context
from fa_jax.model.dropout import dropout, split_keys
from fa_jax.model.encoder import encode, init_encoder
from fa_jax.model.hoisted_scan import hoisted_scan


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
    params = {
        "encoder": init_encoder(encoder_key, config, source_vocabulary),
        "decoder": decoder.init_decoder(decoder_key, config, target_vocabulary),
    }
    if config.contextualize:
        params["context"] = init_contextualize(jax.random.fold_in(key, 2), config.embedding_size)
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
    longest: Int[Array, ""] | None = None,
) -> Source:
    """Reads sentences once, before decoding.

    params: float32, or cast. source: words, padded to S. lengths: each sentence's own.
    dropout_keys, attention_keys: in training, random keys, one a sentence. longest: as of `encode`.
    """
    embedded = params["encoder"]["embedding"][source.T].astype(config.compute_dtype)
    target_gate = None
    if config.contextualize:
        context = sentence_context(params["context"], embedded, lengths, longest)
        embedded = embedded * gate(params["context"]["source_gate"], context)
        target_gate = gate(params["context"]["target_gate"], context)
    embedded = dropout(embedded, config.dropout, dropout_keys)
    between = split_keys(dropout_keys, 2)[1]
    annotations, ends = encode(
        params["encoder"], embedded, lengths, config.dropout, between, longest
    )
    attention = cast_for_compute(params["decoder"]["attention"], config)
    memory = prepared_in_pieces(attention, annotations, lengths, config.attention, longest)
    start = decoder.decoder_start(params["decoder"], config, memory, ends, attention_keys)
    return Source(memory, start, target_gate)


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
    threshold: float | Float[Array, ""] | Float[Array, "B 1"] = jnp.inf,
    implementation: str | None = "dense",
    training_keys: Key[Array, " B"] | None = None,
    details: bool = True,
    in_windows: bool = False,
    lines: bool = False,
    collect: Callable[[AttentionOutput], PyTree] = lambda attended: attended,
) -> tuple[Float[Array, "T B F"], PyTree]:
    """The decoder's steps while it is fed the target's words.

    Returns what the output layer reads, and what attention did: leaves [T, B, ...].

    params: float32, so that gradients are not rounded, or cast. source, target: words, padded to S
    and T. threshold, implementation: of `attend`. training_keys: in training, a random key a
    sentence. details: of `attend`. in_windows: by `learn_in_windows`, whatever the implementation.
    lines: source and target may have some, with an end of sentence between them (`line_begins`).
    collect: what is kept of each step's attention.
    """
    keys = split_keys(training_keys, 5)
    read = read_source(params, config, source, source_lengths, keys[0], keys[3])
    if in_windows:
        implementation = "windowed"
        memory, attention = learn_in_windows(read.memory, read.start.attention)
        read = read.replace(memory=memory, start=read.start.replace(attention=attention))

    fed_back = jnp.pad(target[:, :-1], ((0, 0), (1, 0)), constant_values=BEGIN)
    embedded = embed_target(params, read, fed_back).swapaxes(0, 1)
    embedded = dropout(embedded, config.dropout, keys[1])
    kept = _between_layers(config, embedded, keys[4])
    begins = line_begins(source, fed_back).T if lines else None

    def step(product, constants, state, inputs):
        decoder_params, memory, threshold = constants
        feedback, kept, begin = inputs
        if begin is not None:
            focus = jnp.where(begin < 0, state.attention.focus, begin)
            state = state.replace(attention=state.attention.replace(focus=focus))
        state, attended = decoder.decoder_step(
            cast_for_compute(decoder_params, config),
            config,
            product,
            state,
            feedback,
            memory,
            kept,
            threshold=threshold,
            implementation=implementation,
            details=details,
        )
        return state, (state.output, collect(attended))

    _, (output, attention) = hoisted_scan(
        step,
        config.rematerialize,
        decoder.step_kernels(params["decoder"], config),
        (decoder.step_params(params["decoder"]), read.memory, jnp.asarray(threshold, jnp.float32)),
        read.start,
        (decoder.feed_back(params["decoder"], config, embedded), kept, begins),
    )
    bottleneck = decoder.bottleneck(params["decoder"], output)
    return dropout(bottleneck, config.dropout, keys[2]), attention


def line_begins(source: Int[Array, "B S"], fed_back: Int[Array, "B T"]) -> Float[Array, "B T"]:
    """The focus that a step starts from where the word before it ended a line: the end of the
    source's line of the same number. -1 where it goes on from the step before."""
    ends = source == END
    places = jnp.argsort(~ends, axis=1, stable=True)  # of the ends first
    number = jnp.cumsum(fed_back == END, axis=1)
    known = (fed_back == END) & (number <= ends.sum(1, keepdims=True))
    place = jnp.take_along_axis(places, jnp.maximum(number - 1, 0), axis=1, mode="clip")
    return jnp.where(known, place, -1).astype(jnp.float32)


def _between_layers(
    config: ModelConfig, embedded: Float[Array, "T B E"], keys: Key[Array, " B"] | None
) -> Float[Array, "T B U"] | None:
    """What dropout multiplies the states between the decoder's layers by; None: nothing."""
    if keys is None or config.layers == 1 or config.dropout == 0:
        return None
    units = config.decoder_size * (config.layers - 1)
    return dropout(jnp.ones((*embedded.shape[:2], units), embedded.dtype), config.dropout, keys)


def word_log_probs(
    params: Params, bottleneck: Float[Array, "T B F"], target: Int[Array, "B T"]
) -> Float[Array, "B T"]:
    """Log probability, in nats, of each target word given the ones before it.

    bottleneck: of `force_translation` with the same params and target.
    """
    logits = decoder.logits(params["decoder"], bottleneck)
    return -optax.losses.softmax_cross_entropy_with_integer_labels(logits, target.T).T
