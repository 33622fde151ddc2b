"""Beam search: a `lax.while_loop`, sentences and hypotheses batched.

Several models may search together, as an ensemble: the mean of their probabilities decides.
Each sentence has a place (`Places`). Others may wait in a queue: when some are done, the next ones
take their places. A step notes words and which hypotheses they continue; translations are read back
from these notes when a sentence leaves its place. `documents.py` searches by the same parts.
"""

from collections.abc import Callable, Sequence
from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.data.vocabulary import BEGIN
from fa_jax.decoding.beam import Beam, Ends, Places
from fa_jax.decoding.ensemble import Ensemble, Read
from fa_jax.decoding.search_settings import SearchSettings
from fa_jax.model.encoder_decoder import Params

SHARE_TAKEN_IN = 8
"""When a place in so many is free, the next sentences or lines take them."""
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
    limits: Int[Array, " B"],
    own: PyTree,
    threshold: float | Float[Array, ""],
    length_exponent: float | Float[Array, ""] = 1.0,
    *,
    settings: SearchSettings,
    places: int | None = None,
    writer: Callable[..., Ensemble] = Ensemble,
) -> Hypotheses:
    """The best translations of each sentence.

    Args:
      params, sources, lengths: an item for each model. sources, lengths: the sentences as it reads
        them.
      limits: most words of each translation; 0 for rows that are no sentences, which stand behind
        all others.
      own: what the writer reads beside them; of an ensemble words [B, C] that translations may use
        beside the frequent ones (`candidates_for`).
      threshold, length_exponent: as of `Member` and `Beam`. writer: makes the ensemble.
      places: P, how many sentences are searched together; None: all.
    """
    count = len(limits)
    places = min(places or count, count)
    queued = places < count
    taken_in = -(-places // SHARE_TAKEN_IN)
    ahead = taken_in * READ_TOGETHER
    waiting = (limits > 0).sum()
    ensemble = writer(params, settings, threshold, many=queued)
    beam = Beam(ensemble, length_exponent)
    every = jnp.arange(places)

    def read(rows: Int[Array, " R"]) -> list[Read]:
        return ensemble.read(*jax.tree.map(lambda leaf: leaf[rows], (sources, lengths, own)))

    def begin(rows: Int[Array, " R"], read: list[Read]) -> Places:
        """These sentences; nothing where there is no such row."""
        limit = limits.at[rows].get(mode="fill", fill_value=0)
        number = jnp.where(limit > 0, rows, count)
        starts = [source.start for source, _ in read]
        return beam.start(number, limit, jnp.full_like(rows, BEGIN), starts)

    def next_sentences(queue: Queue, read_ahead: list[Read]) -> Queue:
        """The next sentences take the places that are free. All are searched until others are; to
        the end, if no sentence waits."""
        rows, first = queue.taken + jnp.arange(taken_in), queue.taken % ahead
        read = jax.tree.map(
            lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, first, taken_in), read_ahead
        )
        free = free_places(queue, beam, taken_in)
        queue = turned_over(queue, free, beam, places=begin(rows, read), sources=read)
        queue = queue.replace(taken=queue.taken + taken_in)
        return search_while(queue, beam, jnp.where(queue.taken < waiting, places, 0))

    def read_and_search(queue: Queue) -> Queue:
        """Until all that are read have a place."""
        read_ahead = read(jnp.minimum(queue.taken + jnp.arange(ahead), count - 1))
        until = jnp.minimum(queue.taken + ahead, waiting)
        return jax.lax.while_loop(
            lambda queue: queue.taken < until,
            lambda queue: next_sentences(queue, read_ahead),
            queue,
        )

    if queued:
        like = jax.eval_shape(read, jnp.arange(taken_in))
        nothing = jax.tree.map(lambda leaf: jnp.zeros((places, *leaf.shape[1:]), leaf.dtype), like)
        queue = new_queue(beam, begin(jnp.full_like(every, count), nothing), nothing, count)
        queue = jax.lax.while_loop(lambda queue: queue.taken < waiting, read_and_search, queue)
    else:
        found = read(every)
        queue = new_queue(beam, begin(every, found), found, count)
        queue = search_while(queue, beam, jnp.int32(0))
    return _kept(queue, every, beam)


def new_queue(beam: Beam, begun: Places, read: list[Read], count: int) -> Queue:
    """Before the first step. read: what the places read. count: lines that there are."""
    zeros = jnp.zeros((count, beam.ends), jnp.int32)
    longest = beam.settings.max_length
    words = jnp.zeros((*zeros.shape, longest), jnp.int32)
    return Queue(
        places=begun,
        sources=read,
        taken=jnp.int32(0),
        time=jnp.int32(0),
        notes=jnp.zeros((2 * longest, len(begun.number), beam.size, 2), jnp.int32),
        found=Hypotheses(words, zeros, jnp.zeros(zeros.shape), zeros[:, 0], zeros[:, 0]),
    )


def search_while(queue: Queue, beam: Beam, busy: Int[Array, ""]) -> Queue:
    """Searches until a share of so many places is done."""

    def go_on(queue: Queue) -> Bool[Array, ""]:
        return beam.is_open(queue.places).sum() > busy - -(-busy // SHARE_TAKEN_IN)

    return jax.lax.while_loop(go_on, partial(_step, beam), queue)


def _step(beam: Beam, queue: Queue) -> Queue:
    """A step of all places, and its note."""
    places, note = beam.step(queue.places, queue.sources)
    row = queue.time % len(queue.notes)
    notes = jax.lax.dynamic_update_slice_in_dim(queue.notes, note[None], row, axis=0)
    return queue.replace(places=places, time=queue.time + 1, notes=notes)


def free_places(queue: Queue, beam: Beam, count: int) -> Int[Array, " count"]:
    """Of those whose search is done, the ones that began first: `Queue.notes` forgets."""
    age = jnp.where(queue.places.limits > 0, queue.places.step, 0)
    return jnp.argsort(jnp.where(beam.is_open(queue.places), 1, -age))[:count]


def turned_over(queue: Queue, chosen: Int[Array, " N"], beam: Beam, **begun: PyTree) -> Queue:
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
