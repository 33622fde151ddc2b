"""Terms that a translation must have, and the words that it must begin with.

A term is written when attention is there: while the focus lies in its source phrase, its first word
is nearly as likely as the likeliest word, and what is begun there is written to its end. A
translation that would end without a term writes it first. Words that must follow are certain: they
cost a hypothesis nothing, so that those that wrote a term compare with those that have not.
Hasler et al. (2018) begin terms by attention, too. What must be at a translation's start is a term
whose writing has begun. Where a sentence's numbers are terms, digits stand in terms alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int

from fa_jax.data.vocabulary import END
from fa_jax.decoding.beam_search import Hypotheses, beam_search
from fa_jax.decoding.ensemble import Ensemble, Read
from fa_jax.decoding.local_devices import enlarged
from fa_jax.model.decoder import DecoderState
from fa_jax.model.encoder_decoder import Source

FEWEST_TERMS, SHORTEST_TERM = 4, 8
"""Terms of a sentence, and words of a term, are padded to so many, or twice, four times … as many:
each shape is compiled."""
NEAR = 1.5
"""Positions: so near its phrase the focus must be. It is a mean, so it comes late to the last word
and leaves the first one early."""
LEAST, BEHIND, AT_END = 5.0, 3.0, 5.0
"""In nats. A term is as likely as the word whose place it takes, and at most so much less than the
likeliest of all; it costs so much to begin it where the focus is behind its phrase, or where the
translation would end."""


@dataclass(frozen=True)
class Term:
    """Target words that are to be written for source positions, `first` to `last`. text: what
    stands in their place in what people read."""

    words: Sequence[int]
    first: int
    last: int
    text: str = ""


@dataclass(frozen=True)
class Guide:
    """What a sentence's translation must have: words at its start, and terms. has_numbers: they are
    all numbers that it may have, too."""

    prefix: Term = Term((), 0, 0)
    terms: Sequence[Term] = ()
    has_numbers: bool = False

    @property
    def all(self) -> list[Term]:
        return [self.prefix, *self.terms]

    @property
    def words(self) -> list[int]:
        return [word for term in self.all for word in term.words]


@struct.dataclass
class Kinds:
    """Of words. replaceable: a term may take their place. digits: parts of numbers."""

    replaceable: Bool[Array, "*B L"]
    digits: Bool[Array, "*B L"]


@struct.dataclass
class Terms:
    """Of each sentence what must be written; the prefix is the first. What is not there has no
    words. words: -1 behind a term's last one. first, last: source positions. latest: so many words
    are written when what is missing must follow. has_numbers: as of `Guide`."""

    words: Int[Array, "B M W"]
    lengths: Int[Array, "B M"]
    first: Float[Array, "B M"]
    last: Float[Array, "B M"]
    latest: Int[Array, " B"]
    has_numbers: Bool[Array, " B"]


@struct.dataclass
class Written:
    """How far a hypothesis is with each term.

    at: so many of its words stand at the end of what is written. due: it is being written to its
    end. near: it may begin at the next word. done: it was written.
    """

    at: Int[Array, "B *K M"]
    due: Bool[Array, "B *K M"]
    near: Bool[Array, "B *K M"]
    done: Bool[Array, "B *K M"]


@struct.dataclass
class GuidedSource(Source):
    """A sentence with its terms. places: of their words, in the list that scores are of. kinds: of
    the list's words; digits where they stand in terms alone."""

    terms: Terms
    places: Int[Array, "B M W"]
    kinds: Kinds


@struct.dataclass
class GuidedState(DecoderState):
    """A hypothesis that knows what it has written of its terms."""

    written: Written


class Guided(Ensemble):
    """An ensemble that keeps terms. The focus is the first member's. Forbidden words may be a part
    of a term. kinds: of the vocabulary's words."""

    def __init__(self, kinds: Kinds, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._in_terms, self.forbidden = self.forbidden, ()
        self._kinds = kinds

    def read(
        self,
        sources: Sequence[Int[Array, "B S"]],
        lengths: Sequence[Int[Array, " B"]],
        own: tuple[Int[Array, "B C"], Terms],
    ) -> list[Read]:
        """own: candidates, terms."""
        candidates, terms = own
        (source, own_words), *others = super().read(sources, lengths, candidates)
        nothing = jnp.zeros(terms.lengths.shape, bool)
        written = Written(
            at=jnp.zeros_like(terms.lengths),
            due=nothing.at[:, 0].set(terms.lengths[:, 0] > 0),
            near=nothing,
            done=terms.lengths == 0,
        )
        kinds = jax.tree.map(lambda of: self.output.listed(of, own_words), self._kinds)
        places = self.output.places(terms.words.reshape(len(candidates), -1), own_words)
        guided = GuidedSource(
            **vars(source.replace(start=GuidedState(**vars(source.start), written=written))),
            terms=terms,
            places=places.reshape(terms.words.shape),
            kinds=kinds.replace(digits=kinds.digits & terms.has_numbers[:, None]),
        )
        return [(guided, own_words), *others]

    def write(
        self, read: list[Read], states: list[DecoderState], last: Int[Array, "P K"]
    ) -> tuple[list[DecoderState], Float[Array, "P K L"], Float[Array, "P K"], Int[Array, "P K"]]:
        source: GuidedSource = read[0][0]
        late = states[0].attention.step >= source.terms.latest[:, None]
        written = _due_if(late, _counted(source.terms, states[0].written, last))
        states, scores, total, windows = super().write(read, states, last)
        focus = states[0].attention.focus
        scores, near = _guided(source, written, focus, scores, total, self._in_terms)
        guided = GuidedState(**vars(states[0]), written=written.replace(near=near))
        return [guided, *states[1:]], scores, total, windows


def _counted(terms: Terms, before: Written, last: Int[Array, "P K"]) -> Written:
    """With the word that was written last. One word ends one term at most, of two that read alike
    the one that is due."""
    lengths, last = terms.lengths[:, None], last[..., None]
    follows = last == _next(terms.words, before.at)
    at = jnp.where(follows, before.at + 1, (last == terms.words[:, None, :, 0]).astype(jnp.int32))
    begun = before.near & (at == 1)
    begun = begun & (jnp.cumsum(begun, axis=-1) == 1)
    due = jnp.where(before.due.any(-1, keepdims=True), before.due, begun)
    ended = (at == lengths) & ~before.done
    one = jnp.argmax(jnp.where(ended, 1 + due.astype(jnp.int32), 0), axis=-1, keepdims=True)
    ended = ended & (jax.lax.broadcasted_iota(jnp.int32, ended.shape, 2) == one)
    return Written(
        at=jnp.where(at == lengths, 0, at),
        due=due & ~(ended & due).any(-1, keepdims=True),
        near=before.near,
        done=before.done | ended,
    )


def _due_if(late: Bool[Array, "P K"], written: Written) -> Written:
    """With the first term that is missing due, if it is late and none is."""
    missing = ~written.done & late[..., None] & ~written.due.any(-1, keepdims=True)
    first = missing & (jnp.cumsum(missing, axis=-1) == 1)
    return written.replace(at=jnp.where(first, 0, written.at), due=written.due | first)


def _guided(
    source: GuidedSource,
    written: Written,
    focus: Float[Array, "P K"],
    scores: Float[Array, "P K L"],
    total: Float[Array, "P K"],
    in_terms: Sequence[int],
) -> tuple[Float[Array, "P K L"], Bool[Array, "P K M"]]:
    """Scores of words, as terms want them; and which terms may begin. in_terms: words that are
    written nowhere else."""
    terms, is_due = source.terms, written.due.any(-1)
    missing = ~written.done & ~is_due[..., None]
    behind = focus[..., None] - terms.last[:, None] > NEAR
    near = missing & (focus[..., None] - terms.first[:, None] >= -NEAR)
    end, kinds = scores[..., END], jax.tree.map(lambda of: of[:, None], source.kinds)
    replaced = jnp.where(kinds.replaceable, scores, -jnp.inf).max(-1)
    likeliest = jnp.maximum(replaced, scores.max(-1) - LEAST)
    price = jnp.where(behind, BEHIND, 0.0)
    wanted = jnp.where(near, likeliest[..., None] - price, -jnp.inf)
    first = missing & (jnp.cumsum(missing, axis=-1) == 1)
    wanted = jnp.maximum(wanted, jnp.where(first, end[..., None] - AT_END, -jnp.inf))
    begins = jnp.broadcast_to(source.places[:, None, :, 0], wanted.shape)
    near = near | (wanted > jnp.take_along_axis(scores, begins, axis=-1))
    must = jnp.where(written.due, _next(source.places, written.at), 0).sum(-1)[..., None]
    number = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 2)
    never = kinds.digits | ((number == END) & first.any(-1)[..., None])
    for word in in_terms:
        never = never | (number == word)
    certain = jnp.where(number == must, total[..., None], -jnp.inf)
    scores = jnp.where(is_due[..., None], certain, jnp.where(never, -jnp.inf, scores))
    rows, hypotheses = (jax.lax.broadcasted_iota(jnp.int32, wanted.shape, n) for n in (0, 1))
    return scores.at[rows, hypotheses, begins].max(wanted), near


def _next(words: Int[Array, "P M W"], at: Int[Array, "P K M"]) -> Int[Array, "P K M"]:
    """Of each term the word behind so many."""
    words = jnp.broadcast_to(words[:, None], (*at.shape, words.shape[-1]))
    return jnp.take_along_axis(words, at[..., None], axis=-1)[..., 0]


def terms_of(guides: Sequence[Guide], limits: Int[np.ndarray, " B"]) -> Terms:
    """Of sentences. limits: most words beside those."""
    rows, terms = len(guides), [guide.all for guide in guides]
    most = enlarged(FEWEST_TERMS, max(map(len, terms)))
    longest = enlarged(SHORTEST_TERM, max(len(t.words) for of_one in terms for t in of_one))
    words = np.full((rows, most, longest), -1, np.int32)
    first, last = np.zeros((2, rows, most), np.float32)
    for row, of_one in enumerate(terms):
        for place, term in enumerate(of_one):
            words[row, place, : len(term.words)] = term.words
            first[row, place], last[row, place] = term.first, term.last
    has_numbers = np.array([guide.has_numbers for guide in guides])
    lengths = (words >= 0).sum(-1, dtype=np.int32)
    return Terms(words, lengths, first, last, limits - 1, has_numbers)


def guided_search(*arguments: Any, **options: Any) -> Hypotheses:
    """`beam_search` whose `own` are candidates and terms. Its last argument are the kinds of the
    vocabulary's words."""
    *arguments, kinds = arguments
    return beam_search(*arguments, **options, writer=partial(Guided, kinds))
