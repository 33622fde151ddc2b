"""Beam search: a `lax.while_loop`, documents and hypotheses batched.

A sentence is a document of one line.
Several models may search together, as an ensemble: the mean of their probabilities decides.
Each document has a place (`Places`). Where a line ends its best translation stays, and the next
line is searched from the state behind it, which knows what was written so far, with the focus in
front of the source's next line. So a hypothesis is never longer than a line, each line has its
translation, and a step costs what it costs in a sentence. Sentences may wait in a queue: when some
are done, the next ones take their places. A step notes words and which hypotheses they continue;
translations are read back from these notes when a line leaves its place.
"""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.data.vocabulary import END
from fa_jax.decoding.beam import Beam, Ends, Places, SearchSettings
from fa_jax.decoding.member import Read, starts_of
from fa_jax.model.decoder import DecoderState
from fa_jax.model.encoder_decoder import Params

SHARE_TAKEN_IN = 8
"""When a place in so many is free, the next lines or sentences take them."""
READ_TOGETHER = 4
"""So many times as many sentences are read together, ahead: the encoder is faster with many."""


@struct.dataclass
class Hypotheses:
    """A line's best translations, best first: M = K, or 2 K where several are wanted.

    words: end of sentence included where there was room, then padding. lengths: their words.
    scores: sum of log p ÷ number of words, or a power of it; -inf where there are fewer hypotheses.
    scored: positions whose score was computed, summed over steps, live hypotheses and members.
    calls: attention calls, summed likewise. scored ÷ calls is the average window.
    """

    words: Int[Array, "*B M L"]
    lengths: Int[Array, "*B M"]
    scores: Float[Array, "*B M"]
    scored: Int[Array, "*B"]
    calls: Int[Array, "*B"]


@struct.dataclass
class Queue:
    """Places, the sentences that wait for one, and what was found.

    sources: what each place reads. taken: sentences that have had a place. time: steps of all
    places. notes: of each step the places in the last beam that were continued, and the words that
    did; the last 2 L steps. A line has at most L words, and its place is then free for less than L
    steps more: all that were begun before it end in that time, and none that was begun later is
    taken first. found: of all lines; what has no place yet is empty.
    """

    places: Places
    sources: list[Read]
    taken: Int[Array, ""]
    time: Int[Array, ""]
    notes: Int[Array, "L2 P K 2"]
    found: Hypotheses


def beam_search(
    params: Sequence[Params],
    sources: Sequence[Int[Array, "B S"]],
    lengths: Sequence[Int[Array, " B"]],
    limits: Int[Array, "B N"],
    candidates: Int[Array, "B C"],
    threshold: float | Float[Array, ""],
    length_exponent: float | Float[Array, ""] = 1.0,
    *,
    settings: SearchSettings,
    places: int | None = None,
) -> Hypotheses:
    """The best translations of the lines of each document, leaves [B, N, ...].

    Args:
      params, sources, lengths: an item for each model. sources, lengths: the documents as it reads
        them, with an end of sentence between two lines.
      limits: most words of each line's translation; 0 behind a document's last line, and for rows
        that are no documents, which stand behind all others.
      candidates: words that translations may use beside the frequent ones (`candidates_for`).
      threshold, length_exponent: as of `Beam`.
      places: P, how many sentences are searched together; None: all, as documents of several lines
        always are.
    """
    count, lines = limits.shape
    places = min(places or count, count)
    queued = places < count
    share = SHARE_TAKEN_IN if queued or lines > 1 else 1
    taken_in = -(-places // share)
    ahead = taken_in * READ_TOGETHER
    waiting = (limits[:, 0] > 0).sum()
    beam = Beam(params, settings, threshold, length_exponent, many=share > 1)
    fronts = [_fronts(source, lines) for source in sources]
    every = jnp.arange(places)

    def read(rows: Int[Array, " R"]) -> list[Read]:
        return beam.read(*jax.tree.map(lambda leaf: leaf[rows], (sources, lengths, candidates)))

    def begin(rows: Int[Array, " R"], line: Int[Array, " R"], states: list[DecoderState]) -> Places:
        """In these documents these lines; nothing where there is no such line.

        Their focus is in front of them, as in training (`line_begins`): what went astray in one
        line does not in the next.
        """
        limit = limits.at[rows, line].get(mode="fill", fill_value=0)
        own = [of.at[rows, line].get(mode="fill", fill_value=-1) for of in fronts]
        states = [_in_front(*both) for both in zip(states, own, strict=True)]
        number = jnp.where(limit > 0, rows * lines + line, limits.size)
        return beam.start(number, line, limit, states, goes_on=lines > 1)

    def new_queue(rows: Int[Array, " P"], read: list[Read]) -> Queue:
        """Before the first step, with these documents in the places."""
        begun = begin(rows, jnp.zeros_like(rows), starts_of(read))
        zeros = jnp.zeros((limits.size, beam.ends), jnp.int32)
        words = jnp.zeros((*zeros.shape, settings.max_length), jnp.int32)
        return Queue(
            places=begun,
            sources=read,
            taken=jnp.int32(0),
            time=jnp.int32(0),
            notes=jnp.zeros((2 * settings.max_length, places, beam.size, 2), jnp.int32),
            found=Hypotheses(words, zeros, jnp.zeros(zeros.shape), zeros[:, 0], zeros[:, 0]),
        )

    def next_lines(queue: Queue) -> Queue:
        """Behind lines that are done the next ones of their documents begin."""
        free = _free_places(queue, beam, taken_in)
        behind = queue.places.behind or starts_of(queue.sources)  # of one line: none follows
        line, behind = jax.tree.map(lambda leaf: leaf[free], (queue.places.line, behind))
        return _turned_over(queue, free, beam, places=begin(free, line + 1, behind))

    def next_sentences(queue: Queue, read_ahead: list[Read]) -> Queue:
        """The next sentences take the places that are free."""
        rows, first = queue.taken + jnp.arange(taken_in), queue.taken % ahead
        read = jax.tree.map(
            lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, first, taken_in), read_ahead
        )
        begun = begin(rows, jnp.zeros_like(rows), starts_of(read))
        free = _free_places(queue, beam, taken_in)
        queue = _turned_over(queue, free, beam, places=begun, sources=read)
        return queue.replace(taken=queue.taken + taken_in)

    def search_on(queue: Queue) -> Queue:
        """Until a share of the places is free for what comes next; all, if no sentence waits."""

        def go_on(queue: Queue) -> Bool[Array, ""]:
            busy = (queue.places.limits > 0).sum()
            if queued:
                busy = jnp.where(queue.taken < waiting, places, 0)
            return beam.is_open(queue.places).sum() > busy - -(-busy // share)

        return jax.lax.while_loop(go_on, partial(_step, beam), queue)

    def read_and_search(queue: Queue) -> Queue:
        """Until all that are read have a place."""
        read_ahead = read(jnp.minimum(queue.taken + jnp.arange(ahead), count - 1))
        until = jnp.minimum(queue.taken + ahead, waiting)
        return jax.lax.while_loop(
            lambda queue: queue.taken < until,
            lambda queue: search_on(next_sentences(queue, read_ahead)),
            queue,
        )

    if queued:
        like = jax.eval_shape(read, jnp.arange(taken_in))
        nothing = jax.tree.map(lambda leaf: jnp.zeros((places, *leaf.shape[1:]), leaf.dtype), like)
        queue = new_queue(jnp.full_like(every, count), nothing)
        queue = jax.lax.while_loop(lambda queue: queue.taken < waiting, read_and_search, queue)
        found = _kept(queue, every, beam)
    else:
        found = jax.lax.while_loop(
            lambda queue: (queue.places.limits > 0).any(),
            lambda queue: next_lines(search_on(queue)),
            new_queue(every, read(every)),
        ).found
    return jax.tree.map(lambda leaf: leaf.reshape(*limits.shape, *leaf.shape[1:]), found)


def _step(beam: Beam, queue: Queue) -> Queue:
    """A step of all places, and its note."""
    places, note = beam.step(queue.places, queue.sources)
    row = queue.time % len(queue.notes)
    notes = jax.lax.dynamic_update_slice_in_dim(queue.notes, note[None], row, axis=0)
    return queue.replace(places=places, time=queue.time + 1, notes=notes)


def _free_places(queue: Queue, beam: Beam, count: int) -> Int[Array, " count"]:
    """Of those whose search is done, the ones that began first: `Queue.notes` forgets."""
    age = jnp.where(queue.places.limits > 0, queue.places.step, 0)
    return jnp.argsort(jnp.where(beam.is_open(queue.places), 1, -age))[:count]


def _turned_over(queue: Queue, chosen: Int[Array, " N"], beam: Beam, **begun: PyTree) -> Queue:
    """Keeps what the chosen places have come to. begun: what of the queue begins there, by name."""
    found = _kept(queue, chosen, beam)
    before = {name: getattr(queue, name) for name in begun}
    after = jax.tree.map(lambda all_, new: all_.at[chosen].set(new), before, begun)
    return queue.replace(found=found, **after)


def _kept(queue: Queue, chosen: Int[Array, " N"], beam: Beam) -> Hypotheses:
    """What was found so far, with what the chosen places have come to."""
    places = jax.tree.map(lambda leaf: leaf[chosen], queue.places)
    ends, lengths = places.ends, places.limits[:, None]
    more = (0, 0), (0, beam.ends - beam.size)
    cut = Ends(
        scores=jnp.pad(places.live_scores / beam.power(lengths), more, constant_values=-jnp.inf),
        lengths=jnp.broadcast_to(lengths, ends.lengths.shape),
        places=jax.lax.broadcasted_iota(jnp.int32, ends.places.shape, 1),
    )
    none_finished = ends.scores[:, :1] == -jnp.inf  # the limit came first
    ends = jax.tree.map(partial(jnp.where, none_finished), cut, ends)
    words = _read_back(queue.notes, chosen, queue.time - places.step, ends)
    found = Hypotheses(words, ends.lengths, ends.scores, places.scored, places.calls)
    return jax.tree.map(
        lambda all_, new: all_.at[places.number].set(new, mode="drop"), queue.found, found
    )


def _read_back(
    notes: Int[Array, "L2 P K 2"], chosen: Int[Array, " N"], starts: Int[Array, " N"], ends: Ends
) -> Int[Array, "N M L"]:
    """The words of each hypothesis, from its end through those it continues; then padding.

    chosen: places. starts: when their lines began.
    """
    longest = ends.lengths.max()

    def earlier(number: Int[Array, ""], state: tuple[Array, Array]) -> tuple[Array, Array]:
        beam, words = state
        step = longest - 1 - number
        row = (starts + step)[:, None] % len(notes)
        parents, written = jnp.moveaxis(notes[row, chosen[:, None], beam], -1, 0)
        within = step < ends.lengths
        written = jnp.where(within, written, 0)[..., None]
        words = jax.lax.dynamic_update_slice_in_dim(words, written, step, axis=2)
        return jnp.where(within, parents, beam), words

    nothing = jnp.zeros((*ends.places.shape, len(notes) // 2), notes.dtype)
    return jax.lax.fori_loop(0, longest, earlier, (ends.places, nothing))[1]


def _fronts(source: Int[Array, "B S"], lines: int) -> Int[Array, "B N"]:
    """Of each line of the documents the end of sentence in front of it; of their first ones -1."""
    ends = jax.vmap(partial(jnp.flatnonzero, size=lines - 1, fill_value=-1))(source == END)
    return jnp.pad(ends, ((0, 0), (1, 0)), constant_values=-1)


def _in_front(state: DecoderState, front: Int[Array, " P"]) -> DecoderState:
    """With the focus there, but for a document's first line."""
    focus = state.attention.focus
    focus = jnp.where(front < 0, focus, front.astype(focus.dtype))
    return state.replace(attention=state.attention.replace(focus=focus))
