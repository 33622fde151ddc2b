"""Models that write together: the mean of their probabilities decides."""

import functools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from fa_jax.decoding.member import Member, Read
from fa_jax.decoding.search_settings import SearchSettings
from fa_jax.model.decoder import DecoderState
from fa_jax.model.encoder_decoder import Params


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
        each = zip(self._members, read, states, strict=True)
        written = [member.write(source, state, last) for member, source, state in each]
        states, members_scores, windows = zip(*written, strict=True)
        return [*states], *_mean_probability(members_scores), sum(windows)


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
