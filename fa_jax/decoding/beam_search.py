"""Beam search: a `lax.while_loop`, sentences and hypotheses batched.

Several models may search together, as an ensemble: the mean of their log probabilities decides.
Each step keeps a sentence's K best continuations. One that ends leaves the beam for the list of
finished hypotheses; a sentence is done when none of its live hypotheses can still win. The
sentences wait in a queue. As many as there are places are searched together; when some of them are
done, the next ones take their places. A step notes words and which hypotheses they continue;
translations are read back from these notes once, when all are done.
"""

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.config import ModelConfig
from fa_jax.data.vocabulary import BEGIN, END
from fa_jax.decoding.best_of_many import best_of_many
from fa_jax.decoding.shortlist import OwnWords, Shortlist, output_layer
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import Params, Source, cast_for_compute, embed_target, read_source

LARGEST_TABLE = 2**22
"""Of embeddings, in numbers: where they are not more, what words add that are fed back is computed
for all words once. It is some six times as much."""
SHARE_TAKEN_IN = 8
"""When a place in so many is free, sentences from the queue are read and take them."""


@struct.dataclass
class Hypotheses:
    """A sentence's best translations, best first.

    words: end of sentence included where there was room, then padding. lengths: their words.
    scores: sum of log p ÷ number of words, or a power of it; -inf where there are fewer hypotheses.
    scored: positions whose score was computed, summed over steps, live hypotheses and members.
    calls: attention calls, summed likewise. scored ÷ calls is the average window.
    """

    words: Int[Array, "B K L"]
    lengths: Int[Array, "B K"]
    scores: Float[Array, "B K"]
    scored: Int[Array, " B"]
    calls: Int[Array, " B"]


@struct.dataclass
class Ends:
    """Where a sentence's best translations end, best first.

    scores and lengths: as of `Hypotheses`. places: in the beam, at the step that wrote their end.
    """

    scores: Float[Array, "B K"]
    lengths: Int[Array, "B K"]
    places: Int[Array, "B K"]


@struct.dataclass
class Finished:
    """What a sentence's search has come to so far. scored, calls: as of `Hypotheses`."""

    ends: Ends
    scored: Int[Array, " P"]
    calls: Int[Array, " P"]


@struct.dataclass
class Places:
    """Sentences that are searched together, and everything that a step of the search changes.

    sentence: number in the queue. members: what each has read, and its output layer's part for
    words of the sentence's own. limits, shortlist: as of `beam_search`. step: words so far.
    last: words of the last step. live_scores: sums of log p; -inf marks an empty place in the
    beam. decoders: of each member. finished: hypotheses that ended, and what the search cost.
    """

    sentence: Int[Array, " P"]
    members: list[tuple[Source, OwnWords]]
    limits: Int[Array, " P"]
    shortlist: Shortlist
    step: Int[Array, " P"]
    last: Int[Array, "P K"]
    live_scores: Float[Array, "P K"]
    decoders: list[decoder.DecoderState]
    finished: Finished


@struct.dataclass
class Queue:
    """taken: sentences that have had a place. time: steps of all places. notes: of each step the
    places in the last beam that were continued, and the words that did; of twice as many steps as
    a translation may have words, since a place may wait as long for others as it was searched.
    found: of all sentences; what has no place yet is empty."""

    places: Places
    taken: Int[Array, ""]
    time: Int[Array, ""]
    notes: Int[Array, "L2 P K 2"]
    found: Hypotheses


def beam_search(
    params: Sequence[Params],
    sources: Sequence[Int[Array, "B S"]],
    lengths: Sequence[Int[Array, " B"]],
    limits: Int[Array, " B"],
    shortlist: Shortlist,
    threshold: float | Float[Array, ""],
    length_exponent: float | Float[Array, ""] = 1.0,
    *,
    configs: Sequence[ModelConfig],
    beam_size: int,
    max_length: int,
    places: int | None = None,
    read_at: Sequence[int] = (),
    n_best: int = 1,
    implementation: str | None = None,
    output_dtype: str | None = None,
) -> Hypotheses:
    """The best translations of each sentence.

    Args:
      params, sources, lengths, configs: an item for each model: one, or an ensemble with one target
        vocabulary. sources, lengths: the sentences as it reads them.
      limits: most words a sentence's translation may have; 0 for rows that are no sentences, which
        stand behind all others.
      shortlist: words that translations may use. threshold: τ (VS 3.1).
      length_exponent: of the number of words that sums of log p are divided by, so that hypotheses
        of different lengths compare.
      beam_size: K. max_length: L, no limit may be larger. places: P, how many sentences are
        searched together; None: all. read_at: lengths to which sentences are padded while they are
        read, the shortest that holds those read together; without any it is S. n_best: the search
        goes on until so many hypotheses are safe.
      implementation: of attention; None: it chooses. output_dtype: of the output layer's products;
        None: the model's.
    """
    count = len(limits)
    places = min(places or count, count)
    taken_in = -(-places // SHARE_TAKEN_IN) if places < count else places
    attention = {"threshold": threshold, "implementation": implementation}
    readers, writers = zip(
        *(
            _member(*one, shortlist.frequent, output_dtype, attention, many=places < count)
            for one in zip(params, configs, strict=True)
        ),
        strict=True,
    )

    def is_open(state: Places) -> Bool[Array, " P"]:
        """Where a live hypothesis can still win: all its further words may be certain."""
        best_possible = state.live_scores.max(1) / _power(state.limits, length_exponent)
        to_beat = state.finished.ends.scores[:, min(n_best, beam_size) - 1]
        return (best_possible > to_beat) & (state.step < state.limits)

    @functools.partial(jax.jit, static_argnums=1)  # traced once a size
    def read(rows: Int[Array, " N"], size: int) -> list[tuple[Source, OwnWords]]:
        """Sentences of the queue, no longer than so many words."""
        return [
            reader(source[rows, :size], length[rows], shortlist.candidates[rows])
            for reader, source, length in zip(readers, sources, lengths, strict=True)
        ]

    def begin(rows: Int[Array, " N"], members: list[tuple[Source, OwnWords]]) -> Places:
        """Sentences of the queue that were read; rows that it does not have end before a word."""
        known = jnp.minimum(rows, count - 1)
        zeros = jnp.zeros((len(rows), beam_size), jnp.int32)
        nothing = jnp.full(zeros.shape, -jnp.inf)
        starts = [source.start for source, _ in members]
        return Places(
            sentence=rows,
            members=members,
            limits=jnp.where(rows < count, limits[known], 0),
            shortlist=shortlist.replace(candidates=shortlist.candidates[known]),
            step=zeros[:, 0],
            last=jnp.full_like(zeros, BEGIN),
            live_scores=nothing.at[:, 0].set(0),
            decoders=jax.tree.map(
                lambda leaf: jnp.repeat(leaf[:, None], beam_size, axis=1), starts
            ),
            finished=Finished(Ends(nothing, zeros, zeros), zeros[:, 0], zeros[:, 0]),
        )

    def step(state: Places) -> tuple[Places, Int[Array, "P K 2"]]:
        """One word more for each place, and the step's note."""
        searched = is_open(state)[:, None]
        live = (state.live_scores > -jnp.inf) & searched
        each = zip(writers, state.members, state.decoders, strict=True)
        written = [write(*member, of_decoder, state.last) for write, member, of_decoder in each]
        decoders, members_log_probs, windows = zip(*written, strict=True)
        log_probs = sum(members_log_probs) / len(writers)
        writable = jnp.arange(log_probs.shape[-1]) >= END
        log_probs = jnp.where(writable, log_probs, -jnp.inf)
        scores = jnp.where(live[..., None], state.live_scores[..., None] + log_probs, -jnp.inf)

        listed = scores.shape[-1]
        scores, chosen = best_of_many(scores.reshape(len(searched), -1), beam_size)
        parent, word = chosen // listed, state.shortlist.words(chosen % listed)
        ended = word == END
        length = jnp.broadcast_to(state.step[:, None] + 1, parent.shape)
        ends = Ends(
            scores=jnp.where(ended, scores / _power(length, length_exponent), -jnp.inf),
            lengths=length,
            places=jax.lax.broadcasted_iota(jnp.int32, parent.shape, 1),
        )
        before = state.finished
        both = jax.tree.map(lambda a, b: jnp.concatenate([a, b], axis=1), before.ends, ends)
        _, best = jax.lax.top_k(both.scores, beam_size)
        finished = Finished(
            ends=_choose(both, best),
            scored=before.scored + (sum(windows) * live).sum(1),
            calls=before.calls + len(writers) * live.sum(1),
        )
        state = state.replace(
            step=state.step + 1,
            last=word,
            live_scores=jnp.where(searched, jnp.where(ended, -jnp.inf, scores), state.live_scores),
            decoders=_choose(list(decoders), parent),
            finished=finished,
        )
        return state, jnp.stack([parent, word], axis=-1)

    waiting = (limits > 0).sum()

    def go_on(queue: Queue) -> Bool[Array, ""]:
        """Until enough places are free for those who wait, or all are."""
        open_places = is_open(queue.places).sum()
        enough = jnp.where(queue.taken < waiting, places - taken_in, 0)
        return open_places > enough

    def search_on(queue: Queue) -> Queue:
        state, note = step(queue.places)
        row = queue.time % (2 * max_length)
        notes = jax.lax.dynamic_update_slice_in_dim(queue.notes, note[None], row, axis=0)
        return queue.replace(places=state, time=queue.time + 1, notes=notes)

    def take_in(queue: Queue) -> Queue:
        """Keeps what all places have come to, and gives free ones to sentences that wait."""
        free = jnp.argsort(is_open(queue.places))[:taken_in]
        rows = queue.taken + jnp.arange(taken_in)
        known = jnp.minimum(rows, count - 1)
        longest = jnp.stack([length[known] for length in lengths]).max()
        new = begin(rows, _read_at(read, known, longest, sizes))
        return queue.replace(
            places=jax.tree.map(lambda all_, some: all_.at[free].set(some), queue.places, new),
            taken=queue.taken + taken_in,
            found=_kept(queue, free, length_exponent),
        )

    def turn(queue: Queue) -> Queue:
        return jax.lax.while_loop(go_on, search_on, take_in(queue))

    sizes = [*read_at] or [sources[0].shape[1]]
    like = jax.eval_shape(lambda rows: read(rows, sizes[-1]), jnp.arange(taken_in))
    nobody = jax.tree.map(lambda leaf: jnp.zeros((places, *leaf.shape[1:]), leaf.dtype), like)
    zeros = jnp.zeros((count, beam_size), jnp.int32)
    queue = Queue(
        places=begin(jnp.full(places, count), nobody),
        taken=jnp.int32(0),
        time=jnp.int32(0),
        notes=jnp.zeros((2 * max_length, places, beam_size, 2), jnp.int32),
        found=Hypotheses(
            words=jnp.zeros((count, beam_size, max_length), jnp.int32),
            lengths=zeros,
            scores=zeros.astype(jnp.float32),
            scored=zeros[:, 0],
            calls=zeros[:, 0],
        ),
    )
    queue = jax.lax.while_loop(lambda queue: queue.taken < waiting, turn, queue)
    return _kept(queue, jnp.arange(places), length_exponent)


def _read_at(
    read: Callable[[Int[Array, " N"], int], PyTree],
    rows: Int[Array, " N"],
    longest: Int[Array, ""],
    sizes: Sequence[int],
) -> PyTree:
    """What is read at the first of the sizes that is enough, padded as if it were the last."""
    shapes = jax.eval_shape(lambda rows: read(rows, sizes[-1]), rows)

    def pad(leaf: Array, like: jax.ShapeDtypeStruct) -> Array:
        return jnp.pad(leaf, [(0, b - a) for a, b in zip(leaf.shape, like.shape, strict=True)])

    branches = [lambda rows, n=n: jax.tree.map(pad, read(rows, n), shapes) for n in sizes]
    return jax.lax.switch(jnp.searchsorted(jnp.asarray(sizes), longest), branches, rows)


def _kept(
    queue: Queue, chosen: Int[Array, " N"], length_exponent: float | Float[Array, ""]
) -> Hypotheses:
    """What was found so far, with what the chosen places have come to."""
    kept = "sentence", "limits", "step", "live_scores", "finished"
    state = jax.tree.map(lambda leaf: leaf[chosen], {k: getattr(queue.places, k) for k in kept})
    finished = state["finished"]
    ends, lengths = finished.ends, state["limits"][:, None]
    cut = Ends(
        scores=state["live_scores"] / _power(lengths, length_exponent),
        lengths=jnp.broadcast_to(lengths, ends.lengths.shape),
        places=jax.lax.broadcasted_iota(jnp.int32, ends.places.shape, 1),
    )
    none_finished = ends.scores[:, :1] == -jnp.inf  # the limit came first
    ends = jax.tree.map(functools.partial(jnp.where, none_finished), cut, ends)
    words = _read_back(queue.notes, chosen, queue.time - state["step"], ends)
    new = Hypotheses(words, ends.lengths, ends.scores, finished.scored, finished.calls)
    return jax.tree.map(
        lambda all_, some: all_.at[state["sentence"]].set(some, mode="drop"), queue.found, new
    )


def _member(params, config, frequent, output_dtype, attention, many):
    """What a member does with a sentence: it reads it once, and writes word by word.

    many: sentences; what each word of the vocabulary adds when it is fed back is then computed
    beforehand.
    """
    whole = cast_for_compute(params, config)
    params = whole["decoder"]
    kernels = decoder.step_kernels(params, config)
    own_words, log_probs = output_layer(params["output"], frequent, output_dtype)

    def read(source, lengths, candidates):
        return read_source(whole, config, source, lengths), own_words(candidates)

    def feed_back(embedded):
        return decoder.feed_back(params, config, embedded)

    table = None
    if many and not config.contextualize and params["embedding"].size <= LARGEST_TABLE:
        table = feed_back(params["embedding"])

    def write(source, own_words, state, last):
        """The next state, log probabilities of the listed words, and windows."""
        if table is None:
            feedback = feed_back(embed_target(whole, source, last))
        else:
            feedback = jax.tree.map(lambda leaf: leaf[last], table)
        state, attended = decoder.decoder_step(
            params,
            config,
            lambda name, x: x @ kernels[name],
            state,
            feedback,
            source.memory,
            details=False,
            **attention,
        )
        words = log_probs(decoder.bottleneck(params, state.output), own_words)
        return state, words, attended.window

    return read, write


def _power(length: Int[Array, "*N"], exponent: float | Float[Array, ""]) -> Float[Array, "*N"]:
    return jnp.maximum(length, 1).astype(jnp.float32) ** exponent


def _choose(tree: PyTree, chosen: Int[Array, "B K"]) -> PyTree:
    """Of each sentence these rows: as a new hypothesis takes its parent's."""
    return jax.vmap(lambda rows, places: jax.tree.map(lambda leaf: leaf[places], rows))(
        tree, chosen
    )


def _read_back(
    notes: Int[Array, "L2 P K 2"], chosen: Int[Array, " N"], starts: Int[Array, " N"], ends: Ends
) -> Int[Array, "N K L"]:
    """The words of each hypothesis, from its end through those it continues; then padding.

    chosen: places. starts: when their sentences got them.
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
