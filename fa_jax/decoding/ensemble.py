"""Models that write: each reads a sentence once, and then writes word by word.

Several write together, as an ensemble: the mean of their probabilities decides.
"""

import functools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from fa_jax.attention import AttentionOutput
from fa_jax.config import ModelConfig
from fa_jax.decoding.search_settings import SearchSettings
from fa_jax.decoding.shortlist import OutputLayer, OwnWords
from fa_jax.model import decoder
from fa_jax.model.decoder import DecoderState
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
        self, source: Source, state: DecoderState, last: Int[Array, "B *K"], *, details: bool
    ) -> tuple[DecoderState, AttentionOutput]:
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


class Ensemble:
    """What a beam search writes with: several models, or the only one.

    params: of each. threshold, many: as of `Member`. output: the list whose words are scored.
    """

    def __init__(
        self,
        params: Sequence[Params],
        settings: SearchSettings,
        threshold: float | Float[Array, ""],
        *,
        many: bool,
    ):
        self.settings, self.forbidden = settings, settings.forbidden
        each = zip(params, settings.configs, strict=True)
        self._members = [Member(*model, settings, threshold, many=many) for model in each]
        self.output = self._members[0].output

    def read(
        self,
        sources: Sequence[Int[Array, "B S"]],
        lengths: Sequence[Int[Array, " B"]],
        candidates: Int[Array, "B C"],
    ) -> list[Read]:
        """Sentences, as each member numbers their words."""
        each = zip(self._members, sources, lengths, strict=True)
        return [member.read(*one, candidates) for member, *one in each]

    def write(
        self, read: list[Read], states: list[DecoderState], last: Int[Array, "P K"]
    ) -> tuple[list[DecoderState], Float[Array, "P K L"], Float[Array, "P K"], Int[Array, "P K"]]:
        """The next states; scores of the listed words, and their total over all of them, in
        logarithms; positions that were scored. A score less the total is a word's log p."""
        written = []
        for member, (source, own), state in zip(self._members, read, states, strict=True):
            state, attended = member.step(source, state, last, details=False)
            logits = member.output.scores(decoder.bottleneck(member.decoder, state.output), own)
            written.append((state, logits, attended.window))
        states, logits, windows = zip(*written, strict=True)
        return [*states], *_mean_probability(logits), sum(windows)


def _mean_probability(
    members_scores: Sequence[Float[Array, "P K L"]],
) -> tuple[Float[Array, "P K L"], Float[Array, "P K"]]:
    """Scores and total: p is the mean of the members'. One member's scores stay as they are."""
    totals = [jax.nn.logsumexp(each, axis=-1) for each in members_scores]
    alike = [
        each + (totals[0] - total)[..., None]
        for each, total in zip(members_scores[1:], totals[1:], strict=True)
    ]
    together = functools.reduce(jnp.logaddexp, alike, members_scores[0])
    return together - math.log(len(totals)), totals[0]
