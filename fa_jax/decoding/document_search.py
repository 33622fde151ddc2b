"""Beam search through documents: each is read once, whole, and written line by line.

A document keeps its place in the loop of `beam_search`. Where a line ends its best translation
stays, and the next line is searched from the state behind it, which knows what was written so far,
with the focus in front of the source's next line. So a hypothesis is never longer than a line, each
line has its translation, and a step costs what it costs in a sentence.

`read_documents`, then `write_lines` for some lines of each at a time: in between the caller can
say how far it is.
"""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.data.vocabulary import BEGIN, END
from fa_jax.decoding.beam import Beam, Places, SearchSettings, chosen_of
from fa_jax.decoding.beam_search import (
    SHARE_TAKEN_IN,
    Hypotheses,
    Queue,
    free_places,
    new_queue,
    search_on,
    turned_over,
)
from fa_jax.decoding.member import Read, starts_of
from fa_jax.model.decoder import DecoderState
from fa_jax.model.encoder_decoder import Params


@struct.dataclass
class DocumentPlaces(Places):
    """Documents that are searched together; a sentence is a line.

    line: which of the lines is searched. behind: decoders behind its best end so far.
    """

    line: Int[Array, " P"]
    behind: list[DecoderState]


def read_documents(
    params: Sequence[Params],
    sources: Sequence[Int[Array, "B S"]],
    lengths: Sequence[Int[Array, " B"]],
    candidates: Int[Array, "B C"],
    *,
    settings: SearchSettings,
) -> tuple[list[Read], list[DecoderState]]:
    """Documents, and each member's states before the first line. Arguments as of `beam_search`; in
    a source an end of sentence stands between two lines."""
    read = Beam(params, settings, many=True).read(sources, lengths, candidates)
    return read, starts_of(read)


def write_lines(
    params: Sequence[Params],
    read: list[Read],
    behind: list[DecoderState],
    limits: Int[Array, "B N"],
    fronts: Sequence[Int[Array, "B N"]],
    threshold: float | Float[Array, ""],
    length_exponent: float | Float[Array, ""] = 1.0,
    *,
    settings: SearchSettings,
) -> tuple[Hypotheses, list[DecoderState]]:
    """The best translations of N lines of each document, leaves [B, N, ...], and the states behind
    them.

    Args:
      read, behind: the documents, and the states behind their lines so far.
      limits: most words of each line's translation; 0 behind a document's last line.
      fronts: of each member, positions of the ends of sentence in front of the lines; -1 in front
        of a document's first line.
      params, threshold, length_exponent: as of `beam_search`.
    """
    beam = Beam(params, settings, threshold, length_exponent, many=True)
    taken_in = -(-len(limits) // SHARE_TAKEN_IN)

    def lines_begin(
        rows: Int[Array, " R"], line: Int[Array, " R"], behind: list[DecoderState]
    ) -> DocumentPlaces:
        """In these documents these lines; behind the last one nothing.

        Their focus is in front of them, as in training (`line_begins`): what went astray in one
        line does not in the next.
        """
        limit = limits.at[rows, line].get(mode="fill", fill_value=0)
        own = [of.at[rows, line].get(mode="fill", fill_value=-1) for of in fronts]
        states = [_in_front(*both) for both in zip(behind, own, strict=True)]
        sentence = jnp.where(limit > 0, rows * limits.shape[1] + line, limits.size)
        places = beam.start(sentence, limit, states)
        last = jnp.where(own[0] < 0, BEGIN, END)[:, None]
        places = places.replace(last=jnp.broadcast_to(last, places.last.shape))
        return DocumentPlaces(**vars(places), line=line, behind=states)

    def step(
        places: DocumentPlaces, read: list[Read]
    ) -> tuple[DocumentPlaces, Int[Array, "P K 2"]]:
        after, note = beam.step(places, read)
        best = after.ends.scores[:, 0]
        better = (best > places.ends.scores[:, 0]) | (best == -jnp.inf)  # none: the limit may cut
        ends = chosen_of(after.decoders, after.ends.places[:, :1])
        ends = jax.tree.map(lambda leaf: leaf[:, 0], ends)
        behind = _where(better & beam.is_open(places), ends, places.behind)
        return after.replace(behind=behind), note

    def go_on(queue: Queue) -> Bool[Array, ""]:
        """Until a share of the documents that have lines left stand at the end of one."""
        left = (queue.places.limits > 0).sum()
        return beam.is_open(queue.places).sum() > left - -(-left // SHARE_TAKEN_IN)

    def next_lines(queue: Queue) -> Queue:
        """Behind lines that are done the next ones begin."""
        chosen = free_places(queue, beam, taken_in)
        line, behind = jax.tree.map(
            lambda leaf: leaf[chosen], (queue.places.line, queue.places.behind)
        )
        return turned_over(queue, chosen, beam, places=lines_begin(chosen, line + 1, behind))

    every = jnp.arange(len(limits))
    places = lines_begin(every, jnp.zeros_like(every), behind)
    queue = jax.lax.while_loop(
        lambda queue: (queue.places.limits > 0).any(),
        lambda queue: next_lines(search_on(queue, step, go_on)),
        new_queue(places, read, limits.size, settings.max_length),
    )
    found = jax.tree.map(lambda leaf: leaf.reshape(*limits.shape, *leaf.shape[1:]), queue.found)
    return found, queue.places.behind


def _in_front(state: DecoderState, front: Int[Array, " P"]) -> DecoderState:
    """With the focus there, but for a document's first line."""
    focus = state.attention.focus
    focus = jnp.where(front < 0, focus, front.astype(focus.dtype))
    return state.replace(attention=state.attention.replace(focus=focus))


def _where(chosen: Bool[Array, " P"], new: PyTree, old: PyTree) -> PyTree:
    """Of each chosen document what is new."""
    return jax.vmap(lambda one, *both: jax.tree.map(partial(jnp.where, one), *both))(
        chosen, new, old
    )
