"""A step of beam search: each sentence keeps its K best continuations.

One that ends leaves the beam for the list of finished hypotheses; a sentence is done when none of
its live hypotheses can still win.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.data.vocabulary import BEGIN, END, PAD
from fa_jax.decoding.continuations import best_continuations
from fa_jax.decoding.ensemble import Ensemble, Read
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
    """Lines that are searched together: everything that a step of the search changes.

    number: of the line, among all. limits: most words; 0 where there is no line. step: words so
    far. last: words of the last step. live_scores: sums of log p; -inf marks an empty place in the
    beam. decoders: of each member. ends: of the best so far. behind: decoders behind the best one,
    where a line may follow; else there are none. scored, calls: as of `Hypotheses`.
    """

    number: Int[Array, " P"]
    limits: Int[Array, " P"]
    step: Int[Array, " P"]
    last: Int[Array, "P K"]
    live_scores: Float[Array, "P K"]
    decoders: list[DecoderState]
    ends: Ends
    behind: list[DecoderState]
    scored: Int[Array, " P"]
    calls: Int[Array, " P"]


class Beam:
    """How all sentences are searched.

    writer: it scores their next words. length_exponent: of the number of words that sums of log p
    are divided by, so that hypotheses of different lengths compare.
    """

    def __init__(self, writer: Ensemble, length_exponent: float | Float[Array, ""]):
        self._writer, self._exponent = writer, length_exponent
        self.settings, self.size = writer.settings, writer.settings.beam_size

    @property
    def ends(self) -> int:
        """M, finished hypotheses that are kept. Of several, some may read alike: more are kept."""
        return self.size * (1 if self.settings.n_best == 1 else 2)

    def is_open(self, places: Places) -> Bool[Array, " P"]:
        """Where a live hypothesis can still win: all its further words may be certain."""
        best_possible = places.live_scores.max(1) / self.power(places.limits)
        wanted = min(self.settings.n_best, self.size)
        return (best_possible > places.ends.scores[:, wanted - 1]) & (places.step < places.limits)

    def start(
        self,
        number: Int[Array, " P"],
        limits: Int[Array, " P"],
        last: Int[Array, " P"],
        starts: list[DecoderState],
        *,
        goes_on: bool = False,
    ) -> Places:
        """Before a line's first word. last: the word before it. starts: of each member. goes_on:
        lines may follow."""
        zeros = jnp.zeros((len(number), self.size), jnp.int32)
        none = jnp.zeros((len(number), self.ends), jnp.int32)
        return Places(
            number=number,
            limits=limits,
            step=zeros[:, 0],
            last=last[:, None] + zeros,
            live_scores=jnp.full(zeros.shape, -jnp.inf).at[:, 0].set(0),
            decoders=jax.tree.map(
                lambda leaf: jnp.repeat(leaf[:, None], self.size, axis=1), starts
            ),
            ends=Ends(jnp.full(none.shape, -jnp.inf), none, none),
            behind=starts if goes_on else [],
            scored=zeros[:, 0],
            calls=zeros[:, 0],
        )

    def step(self, places: Places, sources: list[Read]) -> tuple[Places, Int[Array, "P K 2"]]:
        """One word more for each place; and the step's note: which places in the beam were
        continued, and with which words."""
        searched = self.is_open(places)[:, None]
        live = (places.live_scores > -jnp.inf) & searched
        decoders, scores, total, windows = self._writer.write(sources, places.decoders, places.last)
        before = jnp.where(live, places.live_scores - total, -jnp.inf)
        forbidden = (PAD, BEGIN, *self._writer.forbidden)
        scores, parent, chosen = best_continuations(scores, before, self.size, forbidden)
        word = self._writer.output.words(chosen, sources[0][1])
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
            decoders=chosen_of(decoders, parent),
            ends=chosen_of(both, best),
            scored=places.scored + jnp.where(live, windows, 0).sum(1),
            calls=places.calls + len(decoders) * live.sum(1),
        )
        after = after.replace(behind=self._behind(places, after))
        return after, jnp.stack([parent, word], axis=-1)

    def _behind(self, before: Places, after: Places) -> list[DecoderState]:
        """`Places.behind`, after a step. Where no hypothesis ended the limit may cut the best."""
        best = after.ends.scores[:, 0]
        better = (best > before.ends.scores[:, 0]) | (best == -jnp.inf)
        better = better & self.is_open(before)
        ends = chosen_of(after.decoders, after.ends.places[:, :1])

        def newer(end: Array, behind: Array) -> Array:
            return jnp.where(jnp.expand_dims(better, range(1, behind.ndim)), end[:, 0], behind)

        return [jax.tree.map(newer, *both) for both in zip(ends, before.behind, strict=False)]

    def power(self, length: Int[Array, "*N"]) -> Float[Array, "*N"]:
        """What sums of log p over so many words are divided by."""
        return jnp.maximum(length, 1).astype(jnp.float32) ** self._exponent


def chosen_of(tree: PyTree, chosen: Int[Array, "B N"]) -> PyTree:
    """Of each sentence these rows: as a new hypothesis takes its parent's."""
    return jax.vmap(lambda rows, places: jax.tree.map(lambda leaf: leaf[places], rows))(
        tree, chosen
    )
