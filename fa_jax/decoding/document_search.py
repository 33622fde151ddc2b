"""Beam search through documents: each is read once, whole, and written line by line.

A document keeps its place in the loop of `beam_search`. Where a line ends its best translation
stays, and the next line is searched from the state behind it, which knows what was written so far,
with the focus in front of the source's next line. So a hypothesis is never longer than a line, each
line has its translation, and a step costs what it costs in a sentence.

`begin`, then `advance` as often as it takes: between two calls the caller can say how far it is.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.attention import AttentionState
from fa_jax.config import ModelConfig
from fa_jax.data.vocabulary import END
from fa_jax.decoding.beam import Beam, Places
from fa_jax.decoding.beam_search import SHARE_TAKEN_IN, Queue, kept, new_queue, search_on
from fa_jax.decoding.member import prepared_members
from fa_jax.decoding.shortlist import Shortlist
from fa_jax.model.decoder import DecoderState
from fa_jax.model.encoder_decoder import Params

NO_LINE = 2**30
"""The number of what stands behind a document's last line: nothing is kept of it."""


@struct.dataclass
class DocumentPlaces(Places):
    """Documents that are searched together; a sentence is a line.

    line: number in its document; of a document that is done, how many it has. behind: decoders
    behind the line's best end so far.
    """

    line: Int[Array, " P"]
    behind: list[DecoderState]


def begin(
    params: Sequence[Params],
    sources: Sequence[Int[Array, "B S"]],
    lengths: Sequence[Int[Array, " B"]],
    limits: Int[Array, "B N"],
    shortlist: Shortlist,
    *,
    configs: Sequence[ModelConfig],
    beam_size: int,
    max_length: int,
    output_dtype: str | None = None,
) -> Queue:
    """Reads documents, and stands before the first word of each.

    Args:
      params, sources, lengths, configs: as of `beam_search`; a source is a document, its lines with
        an end of sentence between them.
      limits: most words of each line's translation; 0 behind a document's last line.
      shortlist, beam_size, max_length, output_dtype: as of `beam_search`.

    Returns:
      Places, one a document, and what is found of B × N lines. In front of each array is an axis of
      size 1, the device.
    """
    settings = {"shortlist": shortlist, "output_dtype": output_dtype, "many": True}
    members = prepared_members(params, configs, **settings)
    read = [
        member.read(source, length, shortlist.candidates)
        for member, source, length in zip(members, sources, lengths, strict=True)
    ]
    firsts = jnp.arange(len(limits)) * limits.shape[1]
    places = Beam(members, beam_size, 1, 1.0).start(firsts, read, limits[:, 0], shortlist)
    line = jnp.zeros_like(firsts)
    behind = _of_place(places.decoders, line)
    places = DocumentPlaces(**vars(places), line=line, behind=behind)
    return jax.tree.map(lambda leaf: leaf[None], new_queue(places, limits.size, max_length))


def advance(
    params: Sequence[Params],
    queue: Queue,
    begins: Sequence[Int[Array, "B N"]],
    limits: Int[Array, "B N"],
    threshold: float | Float[Array, ""],
    length_exponent: float | Float[Array, ""] = 1.0,
    *,
    configs: Sequence[ModelConfig],
    beam_size: int,
    steps: int,
    forbidden: Sequence[int] = (),
    implementation: str | None = None,
    output_dtype: str | None = None,
) -> Queue:
    """So many steps on, or to the end of all documents.

    Args:
      params, limits, configs, beam_size, output_dtype: as of `begin`. queue: from there.
      begins: of each member, positions of the lines' first words.
      threshold, length_exponent, forbidden, implementation: as of `beam_search`.
      steps: about so many; a line that was begun is searched to its end.
    """
    queue = jax.tree.map(lambda leaf: leaf[0], queue)
    settings = {"shortlist": queue.places.shortlist, "output_dtype": output_dtype, "many": True}
    settings |= {"threshold": threshold, "implementation": implementation}
    members = prepared_members(params, configs, **settings)
    beam = Beam(members, beam_size, 1, length_exponent, forbidden)
    counts, until = (limits > 0).sum(1), queue.time + steps
    taken_in = -(-len(limits) // SHARE_TAKEN_IN)

    def step(places: DocumentPlaces) -> tuple[DocumentPlaces, Int[Array, "P K 2"]]:
        after, note = beam.step(places)
        best = after.ends.scores[:, 0]
        better = (best > places.ends.scores[:, 0]) | (best == -jnp.inf)  # none: the limit may cut
        new = _of_place(after.decoders, after.ends.places[:, 0])
        return after.replace(behind=_where(better & beam.is_open(places), new, places.behind)), note

    def go_on(queue: Queue) -> Bool[Array, ""]:
        """Until a share of the documents that have lines left stand at the end of one."""
        left = (queue.places.line < counts).sum()
        return beam.is_open(queue.places).sum() > left - -(-left // SHARE_TAKEN_IN)

    def take_in(queue: Queue) -> Queue:
        """Keeps the lines that are done, the oldest first, and begins those behind them."""
        places, is_open = queue.places, beam.is_open(queue.places)
        done = ~is_open & (places.line < counts)
        chosen = jnp.argsort(jnp.where(done, -places.step, jnp.where(is_open, 1, 0)))[:taken_in]
        begun = _next_line(
            *jax.tree.map(lambda leaf: leaf[chosen], (places, begins, limits, counts)), beam
        )
        found = kept(queue, chosen, beam)
        after = jax.tree.map(
            lambda all_, new: all_.at[chosen].set(new), places.replace(read=[]), begun
        )
        return queue.replace(places=after.replace(read=places.read), found=found)

    queue = jax.lax.while_loop(
        lambda queue: (queue.places.line < counts).any() & (queue.time < until),
        lambda queue: take_in(search_on(queue, step, go_on)),
        queue,
    )
    return jax.tree.map(lambda leaf: leaf[None], queue)


def _next_line(
    places: DocumentPlaces,
    begins: Sequence[Int[Array, "P N"]],
    limits: Int[Array, "P N"],
    counts: Int[Array, " P"],
    beam: Beam,
) -> DocumentPlaces:
    """The beginning of each document's next line, without what was read.

    Its focus is in front of the line, as in training (`line_begins`): what went astray in one line
    does not in the next.
    """
    line = jnp.minimum(places.line + 1, counts)
    follows = line < counts
    limit, *firsts = (_of_line(of_lines, line) for of_lines in (limits, *begins))
    fresh = beam.start(
        jnp.where(follows, places.sentence + 1, NO_LINE),
        places.read,
        jnp.where(follows, limit, 0),
        places.shortlist,
    )
    behind = [
        state.replace(attention=_in_front_of(first, state.attention))
        for state, first in zip(places.behind, firsts, strict=True)
    ]
    begun = {
        "read": [],
        "last": jnp.full_like(places.last, END),
        "decoders": jax.tree.map(lambda leaf: jnp.repeat(leaf[:, None], beam.size, axis=1), behind),
    }
    return DocumentPlaces(**vars(fresh) | begun, line=line, behind=behind)


def _of_line(of_lines: Int[Array, "P N"], line: Int[Array, " P"]) -> Int[Array, " P"]:
    """Of each document the line of that number; behind the last one, 0."""
    chosen = jnp.take_along_axis(of_lines, line[:, None], axis=1, mode="fill", fill_value=0)
    return chosen[:, 0]


def _in_front_of(first: Int[Array, " P"], attention: AttentionState) -> AttentionState:
    """With the focus there. first: position of a line's first word."""
    return attention.replace(focus=(first - 1).astype(attention.focus.dtype))


def _of_place(decoders: list[DecoderState], place: Int[Array, " P"]) -> list[DecoderState]:
    """Of each document the state of one place in the beam."""
    return jax.tree.map(lambda leaf: leaf[jnp.arange(len(leaf)), place], decoders)


def _where(chosen: Bool[Array, " P"], new: PyTree, old: PyTree) -> PyTree:
    """Of each chosen document what is new, leaves [P, ...]."""
    return jax.tree.map(
        lambda x, y: jnp.where(chosen.reshape(-1, *[1] * (x.ndim - 1)), x, y), new, old
    )
