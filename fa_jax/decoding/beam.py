"""A step of beam search: each sentence keeps its K best continuations.

One that ends leaves the beam for the list of finished hypotheses; a sentence is done when none of
its live hypotheses can still win.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.data.vocabulary import BEGIN, END
from fa_jax.decoding.continuations import best_continuations
from fa_jax.decoding.member import Member, Read
from fa_jax.decoding.shortlist import Shortlist
from fa_jax.model.decoder import DecoderState


@struct.dataclass
class Ends:
    """Where a sentence's best translations end, best first.

    scores and lengths: as of `Hypotheses`. places: in the beam, at the step that wrote their end.
    """

    scores: Float[Array, "B M"]
    lengths: Int[Array, "B M"]
    places: Int[Array, "B M"]


@struct.dataclass
class Places:
    """Sentences that are searched together, and everything that a step of the search changes.

    sentence: number in the queue. read: by each member. limits, shortlist: as of `beam_search`.
    step: words so far.
    last: words of the last step. live_scores: sums of log p; -inf marks an empty place in the
    beam. decoders: of each member. ends: of the best so far. scored, calls: as of `Hypotheses`.
    """

    sentence: Int[Array, " P"]
    read: list[Read]
    limits: Int[Array, " P"]
    shortlist: Shortlist
    step: Int[Array, " P"]
    last: Int[Array, "P K"]
    live_scores: Float[Array, "P K"]
    decoders: list[DecoderState]
    ends: Ends
    scored: Int[Array, " P"]
    calls: Int[Array, " P"]


@dataclass(frozen=True)
class Beam:
    """How all sentences are searched. size, n_best, length_exponent, forbidden: as of
    `beam_search`."""

    members: Sequence[Member]
    size: int
    n_best: int
    length_exponent: float | Float[Array, ""]
    forbidden: Sequence[int] = ()

    @property
    def ends(self) -> int:
        """M, finished hypotheses that are kept. Of several, some may read alike: more are kept."""
        return self.size if self.n_best == 1 else 2 * self.size

    def is_open(self, places: Places) -> Bool[Array, " P"]:
        """Where a live hypothesis can still win: all its further words may be certain."""
        best_possible = places.live_scores.max(1) / self.power(places.limits)
        to_beat = places.ends.scores[:, min(self.n_best, self.size) - 1]
        return (best_possible > to_beat) & (places.step < places.limits)

    def start(
        self,
        sentence: Int[Array, " P"],
        read: list[Read],
        limits: Int[Array, " P"],
        shortlist: Shortlist,
    ) -> Places:
        """Before the first word."""
        zeros = jnp.zeros((len(sentence), self.size), jnp.int32)
        none = jnp.zeros((len(sentence), self.ends), jnp.int32)
        starts = [source.start for source, _ in read]
        return Places(
            sentence=sentence,
            read=read,
            limits=limits,
            shortlist=shortlist,
            step=zeros[:, 0],
            last=jnp.full_like(zeros, BEGIN),
            live_scores=jnp.full(zeros.shape, -jnp.inf).at[:, 0].set(0),
            decoders=jax.tree.map(
                lambda leaf: jnp.repeat(leaf[:, None], self.size, axis=1), starts
            ),
            ends=Ends(jnp.full(none.shape, -jnp.inf), none, none),
            scored=zeros[:, 0],
            calls=zeros[:, 0],
        )

    def step(self, places: Places) -> tuple[Places, Int[Array, "P K 2"]]:
        """One word more for each place; and the step's note: which places in the beam were
        continued, and with which words."""
        searched = self.is_open(places)[:, None]
        live = (places.live_scores > -jnp.inf) & searched
        each = zip(self.members, places.read, places.decoders, strict=True)
        written = [member.write(read, state, places.last) for member, read, state in each]
        decoders, members_scores, windows = zip(*written, strict=True)
        scores, total = _mean_probability(members_scores)
        before = jnp.where(live, places.live_scores - total, -jnp.inf)
        scores, parent, chosen = best_continuations(scores, before, END, self.size, self.forbidden)
        word = places.shortlist.words(chosen)
        ended = word == END
        length = jnp.broadcast_to(places.step[:, None] + 1, parent.shape)
        ends = Ends(
            scores=jnp.where(ended, scores / self.power(length), -jnp.inf),
            lengths=length,
            places=jax.lax.broadcasted_iota(jnp.int32, parent.shape, 1),
        )
        both = jax.tree.map(lambda a, b: jnp.concatenate([a, b], axis=1), places.ends, ends)
        _, best = jax.lax.top_k(both.scores, self.ends)
        live_scores = jnp.where(ended, -jnp.inf, scores)
        after = places.replace(
            step=places.step + 1,
            last=word,
            live_scores=jnp.where(searched, live_scores, places.live_scores),
            decoders=_choose(list(decoders), parent),
            ends=_choose(both, best),
            scored=places.scored + jnp.where(live, sum(windows), 0).sum(1),
            calls=places.calls + len(self.members) * live.sum(1),
        )
        return after, jnp.stack([parent, word], axis=-1)

    def power(self, length: Int[Array, "*N"]) -> Float[Array, "*N"]:
        """What sums of log p over so many words are divided by."""
        return jnp.maximum(length, 1).astype(jnp.float32) ** self.length_exponent


def _mean_probability(
    members_scores: Sequence[Float[Array, "P K V"]],
) -> tuple[Float[Array, "P K V"], Float[Array, "P K"]]:
    """Scores of words and their total over all words of the list, in logarithms: less the total, a
    score is log p of the word, p being the mean of the members'. One member's stay as they are."""
    totals = [jax.nn.logsumexp(each, axis=-1) for each in members_scores]
    alike = [
        each + (totals[0] - total)[..., None]
        for each, total in zip(members_scores[1:], totals[1:], strict=True)
    ]
    together = functools.reduce(jnp.logaddexp, alike, members_scores[0])
    return together - math.log(len(totals)), totals[0]


def _choose(tree: PyTree, chosen: Int[Array, "B N"]) -> PyTree:
    """Of each sentence these rows: as a new hypothesis takes its parent's."""
    return jax.vmap(lambda rows, places: jax.tree.map(lambda leaf: leaf[places], rows))(
        tree, chosen
    )
