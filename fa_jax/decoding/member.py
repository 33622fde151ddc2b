"""A model as a search uses it: it reads a sentence once, and writes word by word."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jaxtyping import Array, Float, Int

from fa_jax.config import ModelConfig
from fa_jax.decoding.shortlist import OwnWords, output_layer
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import Params, Source, cast_for_compute, embed_target, read_source
from fa_jax.model.fused import fuse, fused_products

LARGEST_TABLE = 2**22
"""Of embeddings, in numbers: where they are not more, what words add that are fed back is computed
for all words once. It is some six times as much."""
Read = tuple[Source, OwnWords]
"""Sentences as a model knows them, and its output layer's part for words of their own."""
Written = tuple[decoder.DecoderState, Float[Array, "B K L"], Int[Array, "B K"]]
"""The next state, scores of the listed words (logits), and windows."""


class Member(NamedTuple):
    """A model of an ensemble, or the only one.

    read: of sentences [B, S], their lengths [B], and their candidates [B, C] (`Shortlist`). write:
    of what was read, the state and the last words [B, K].
    """

    read: Callable[[Array, Array, Array], Read]
    write: Callable[[Read, decoder.DecoderState, Array], Written]


def prepared_member(
    params: Params,
    config: ModelConfig,
    *,
    many: bool,
    output: dict[str, Any],
    attention: dict[str, Any],
) -> Member:
    """What needs to be computed only once is.

    params: float32. many: sentences; what each word of the vocabulary adds when it is fed back is
    then computed for all of them. output: options of `output_layer`. attention: threshold and
    implementation of `attend`.
    """
    whole = cast_for_compute(params, config)
    params = whole["decoder"]
    kernels = decoder.step_kernels(params, config)
    fused = fuse(kernels)
    products = fused_products(kernels, lambda name, x: x @ fused[name])
    own_words, scores = output_layer(params["output"], **output)
    table = None
    if many and not config.contextualize and params["embedding"].size <= LARGEST_TABLE:
        table = decoder.feed_back(params, config, params["embedding"])

    def feed_back(source: Source, last: Array) -> decoder.Feedback:
        if table is None:
            return decoder.feed_back(params, config, embed_target(whole, source, last))
        return jax.tree.map(lambda leaf: leaf[last], table)

    def read(source: Array, lengths: Array, candidates: Array) -> Read:
        found = read_source(whole, config, source, lengths, longest=lengths.max())
        return found, own_words(candidates)

    def write(read: Read, state: decoder.DecoderState, last: Array) -> Written:
        source, own = read
        state, attended = decoder.decoder_step(
            params,
            config,
            products,
            state,
            feed_back(source, last),
            source.memory,
            details=False,
            **attention,
        )
        words = scores(decoder.bottleneck(params, state.output), own)
        return state, words, attended.window

    return Member(read, write)
