"""A model as a search uses it: it reads a sentence once, and writes word by word."""

import jax
from jaxtyping import Array, Float, Int

from fa_jax.attention import AttentionOutput
from fa_jax.config import ModelConfig
from fa_jax.decoding.search_settings import SearchSettings
from fa_jax.decoding.shortlist import OutputLayer, OwnWords
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import Params, Source, cast_for_compute, embed_target, read_source
from fa_jax.model.fused import fuse, fused_products

LARGEST_TABLE = 2**22
"""Of embeddings, in numbers: where they are not more, what words add that are fed back is computed
for all words once. It is some six times as much."""
Read = tuple[Source, OwnWords]
"""Sentences as a model knows them, and its output layer's part for words of their own."""


class Member:
    """A model of an ensemble, or the only one. What needs to be computed only once is.

    params: float32. threshold: τ (VS 3.1). many: sentences; what each word of the vocabulary adds
    when it is fed back is then computed for all of them.
    """

    def __init__(
        self,
        params: Params,
        config: ModelConfig,
        settings: SearchSettings,
        threshold: float | Float[Array, ""],
        *,
        many: bool,
    ):
        self._config = config
        self._attention = {"threshold": threshold, "implementation": settings.implementation}
        self._params = cast_for_compute(params, config)
        self.decoder = params = self._params["decoder"]
        kernels = decoder.step_kernels(params, config)
        fused = fuse(kernels)
        self._products = fused_products(kernels, lambda name, x: x @ fused[name])
        self.output = OutputLayer(params["output"], settings.frequent, settings.output_dtype)
        self._table = None
        if many and not config.contextualize and params["embedding"].size <= LARGEST_TABLE:
            self._table = decoder.feed_back(params, config, params["embedding"])

    def read(
        self, source: Int[Array, "B S"], lengths: Int[Array, " B"], candidates: Int[Array, "B C"]
    ) -> Read:
        """Sentences, once."""
        longest = lengths.max()
        found = read_source(self._params, self._config, source, lengths, longest=longest)
        return found, self.output.own_words(candidates)

    def step(
        self,
        source: Source,
        state: decoder.DecoderState,
        last: Int[Array, "B *K"],
        *,
        details: bool = False,
    ) -> tuple[decoder.DecoderState, AttentionOutput]:
        """The state behind these words, and what attention did."""
        if self._table is None:
            embedded = embed_target(self._params, source, last)
            feedback = decoder.feed_back(self.decoder, self._config, embedded)
        else:
            feedback = jax.tree.map(lambda leaf: leaf[last], self._table)
        return decoder.decoder_step(
            self.decoder,
            self._config,
            self._products,
            state,
            feedback,
            source.memory,
            details=details,
            **self._attention,
        )

    def write(
        self, read: Read, state: decoder.DecoderState, last: Int[Array, "B K"]
    ) -> tuple[decoder.DecoderState, Float[Array, "B K L"], Int[Array, "B K"]]:
        """The next state, scores of the listed words (logits), and windows. last: words."""
        source, own = read
        state, attended = self.step(source, state, last)
        words = self.output.scores(decoder.bottleneck(self.decoder, state.output), own)
        return state, words, attended.window


def starts_of(read: list[Read]) -> list[decoder.DecoderState]:
    """Of each member the state before the first word."""
    return [source.start for source, _ in read]
