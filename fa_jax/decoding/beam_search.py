"""Beam search: a `lax.while_loop`, sentences and hypotheses batched.

Several models may search together, as an ensemble: the mean of their log probabilities decides.
Each step keeps a sentence's K best continuations. One that ends leaves the beam for the list of
finished hypotheses; a sentence is done when none of its live hypotheses can still win. When half of
the sentences are done, the others go on in a loop of half the size.
"""

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.config import ModelConfig
from fa_jax.decoding.shortlist import OutputLayer, Shortlist, output_layer
from fa_jax.model import decoder
from fa_jax.model.translator import (
    Params,
    Source,
    cast_for_compute,
    embed_target,
    read_source,
)

BEGIN, END = 1, 2
"""Words of `fa_jax.data.vocabulary`; those before END are never written."""
SMALLEST_BATCH = 8
"""Sentences: so few go on together to the end, even when half of them are done."""


@struct.dataclass
class Member:
    """One model of an ensemble, and the sentences as it reads them."""

    params: Params
    source: Int[Array, "B S"]
    lengths: Int[Array, " B"]


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
class BeamState:
    """Everything that a step of the search changes.

    live_scores: sums of log p; -inf marks an empty place in the beam. decoders: of each member.
    """

    step: Int[Array, ""]
    live_words: Int[Array, "B K L"]
    live_scores: Float[Array, "B K"]
    decoders: list[decoder.DecoderState]
    finished: Hypotheses


@struct.dataclass
class MemberRead:
    """What one model knows of the sentences before it writes."""

    source: Source
    output: OutputLayer


@struct.dataclass
class Read:
    """What the search knows of its sentences and does not change."""

    members: list[MemberRead]
    limits: Int[Array, " B"]
    shortlist: Shortlist

    def rows(self, chosen: Int[Array, " C"]) -> "Read":
        """Of some sentences."""

        def some(tree: PyTree) -> PyTree:
            return jax.tree.map(lambda leaf: leaf[chosen], tree)

        members = [MemberRead(some(m.source), m.output.rows(chosen)) for m in self.members]
        return Read(members, self.limits[chosen], some(self.shortlist))


def beam_search(
    members: Sequence[Member],
    configs: Sequence[ModelConfig],
    limits: Int[Array, " B"],
    threshold: float | Float[Array, ""],
    *,
    beam_size: int,
    max_length: int,
    n_best: int = 1,
    length_exponent: float | Float[Array, ""] = 1.0,
    implementation: str | None = None,
    shortlist: Shortlist | None = None,
    output_dtype: str | None = None,
) -> Hypotheses:
    """The best translations of each sentence.

    Args:
      members: one, or an ensemble with one target vocabulary. configs: theirs.
      limits: most words a sentence's translation may have; 0 for a row that is no sentence.
      threshold: τ (VS 3.1).
      beam_size: K. max_length: L, no limit may be larger. n_best: the search goes on until so many
        hypotheses are safe. length_exponent: of the number of words that sums of log p are divided
        by, so that hypotheses of different lengths compare. shortlist: words that translations may
        use; default: all. output_dtype: of the output layer's products; default: the model's.
    """
    if shortlist is None:
        shortlist = _whole_vocabulary(members[0])
    reads, writers = zip(
        *(
            _reader_and_writer(member, config, shortlist, output_dtype)
            for member, config in zip(members, configs, strict=True)
        ),
        strict=True,
    )
    read = Read(list(reads), limits, shortlist)

    def is_open(state: BeamState, read: Read) -> Bool[Array, " B"]:
        return _open(state, read.limits, n_best, length_exponent)

    def step(read: Read, state: BeamState) -> BeamState:
        searched = is_open(state, read)[:, None]
        live = (state.live_scores > -jnp.inf) & searched
        last = jnp.where(state.step > 0, state.live_words[:, :, state.step - 1], BEGIN)
        written = [
            write(of_member, decoder_state, last, threshold, implementation)
            for write, of_member, decoder_state in zip(
                writers, read.members, state.decoders, strict=True
            )
        ]
        decoders, members_log_probs, windows = zip(*written, strict=True)
        log_probs = sum(members_log_probs) / len(writers)
        writable = jnp.arange(log_probs.shape[-1]) >= END
        log_probs = jnp.where(writable, log_probs, -jnp.inf)
        scores = jnp.where(live[..., None], state.live_scores[..., None] + log_probs, -jnp.inf)

        listed = scores.shape[-1]
        scores, chosen = jax.lax.top_k(scores.reshape(len(searched), -1), beam_size)
        parent, word = chosen // listed, read.shortlist.words(chosen % listed)
        words = _choose(state.live_words, parent).at[:, :, state.step].set(word)
        ended = word == END
        finished = Hypotheses(
            words=words,
            lengths=jnp.full_like(parent, state.step + 1),
            scores=jnp.where(ended, scores / _power(state.step + 1, length_exponent), -jnp.inf),
            scored=state.finished.scored + (sum(windows) * live).sum(1),
            calls=state.finished.calls + len(writers) * live.sum(1),
        )
        return BeamState(
            step=state.step + 1,
            live_words=jnp.where(searched[..., None], words, state.live_words),
            live_scores=jnp.where(searched, jnp.where(ended, -jnp.inf, scores), state.live_scores),
            decoders=jax.tree.map(lambda leaf: _choose(leaf, parent), list(decoders)),
            finished=_best_of(state.finished, finished),
        )

    state = _start([of_member.source.start for of_member in reads], beam_size, max_length)
    state = _search_while_open(step, is_open, read, state)
    return _unfinished_where_none_finished(state, limits, length_exponent)


def _search_while_open(
    step: Callable[[Read, BeamState], BeamState],
    is_open: Callable[[BeamState, Read], Bool[Array, " B"]],
    read: Read,
    state: BeamState,
) -> BeamState:
    """Steps until no sentence is open. When half of them are done, the others go on alone."""
    sentences = len(read.limits)
    half = sentences // 2 if sentences > SMALLEST_BATCH else 0
    state = jax.lax.while_loop(
        lambda state: is_open(state, read).sum() > half, functools.partial(step, read), state
    )
    if not half:
        return state
    going_on = jnp.argsort(~is_open(state, read))[:half]

    def some(leaf: Array) -> Array:
        return leaf[going_on] if leaf.ndim else leaf

    rest = _search_while_open(step, is_open, read.rows(going_on), jax.tree.map(some, state))
    return jax.tree.map(
        lambda leaf, new: leaf.at[going_on].set(new) if leaf.ndim else new, state, rest
    )


def _reader_and_writer(
    member: Member, config: ModelConfig, shortlist: Shortlist, output_dtype: str | None
) -> tuple[MemberRead, Callable[..., tuple]]:
    """What a member reads once, and its part of a step: it writes word by word."""
    whole = cast_for_compute(member.params, config)
    params = whole["decoder"]
    source = read_source(whole, config, member.source, member.lengths)
    kernels = decoder.step_kernels(params, config)

    def write(
        read: MemberRead,
        state: decoder.DecoderState,
        last: Int[Array, "B K"],
        threshold: float | Float[Array, ""],
        implementation: str | None,
    ) -> tuple[decoder.DecoderState, Float[Array, "B K L"], Int[Array, "B K"]]:
        """The next state, log probabilities of the listed words, and windows."""
        embedded = embed_target(whole, read.source, last)
        state, attended = decoder.decoder_step(
            params,
            config,
            lambda name, x: x @ kernels[name],
            state,
            decoder.feed_back(params, config, embedded),
            read.source.memory,
            threshold=threshold,
            implementation=implementation,
            training_keys=None,
            details=False,
        )
        log_probs = read.output.log_probs(decoder.bottleneck(params, state.output))
        return state, log_probs, attended.window

    return MemberRead(source, output_layer(params["output"], shortlist, output_dtype)), write


def _whole_vocabulary(member: Member) -> Shortlist:
    sentences, words = len(member.lengths), member.params["decoder"]["output"]["bias"].shape[0]
    return Shortlist(jnp.zeros((sentences, 0), jnp.int32), words)


def _start(starts: list[decoder.DecoderState], beam_size: int, max_length: int) -> BeamState:
    """One live hypothesis a sentence, without words."""
    sentences = starts[0].hidden.shape[0]
    words = jnp.zeros((sentences, beam_size, max_length), jnp.int32)
    nothing = jnp.full((sentences, beam_size), -jnp.inf)
    return BeamState(
        step=jnp.int32(0),
        live_words=words,
        live_scores=nothing.at[:, 0].set(0),
        decoders=jax.tree.map(lambda leaf: jnp.repeat(leaf[:, None], beam_size, axis=1), starts),
        finished=Hypotheses(
            words=words,
            lengths=jnp.zeros((sentences, beam_size), jnp.int32),
            scores=nothing,
            scored=jnp.zeros(sentences, jnp.int32),
            calls=jnp.zeros(sentences, jnp.int32),
        ),
    )


def _power(length: Int[Array, "*N"], exponent: float | Float[Array, ""]) -> Float[Array, "*N"]:
    return jnp.maximum(length, 1).astype(jnp.float32) ** exponent


def _open(
    state: BeamState,
    limits: Int[Array, " B"],
    n_best: int,
    length_exponent: float | Float[Array, ""],
) -> Bool[Array, " B"]:
    """Sentences where a live hypothesis can still win: all its further words may be certain."""
    best_possible = state.live_scores.max(1) / _power(limits, length_exponent)
    to_beat = state.finished.scores[:, min(n_best, state.live_scores.shape[1]) - 1]
    return (best_possible > to_beat) & (state.step < limits)


def _choose(leaf: Array, parent: Int[Array, "B K"]) -> Array:
    """Each new hypothesis takes its parent's row."""
    return jnp.take_along_axis(leaf, parent.reshape(*parent.shape, *[1] * (leaf.ndim - 2)), axis=1)


def _best_of(old: Hypotheses, new: Hypotheses) -> Hypotheses:
    """The K best of two lists; the counts are the new one's."""

    def both(a: PyTree, b: PyTree) -> Array:
        return jnp.concatenate([a, b], axis=1)

    scores, chosen = jax.lax.top_k(both(old.scores, new.scores), old.scores.shape[1])
    return new.replace(
        words=_choose(both(old.words, new.words), chosen),
        lengths=_choose(both(old.lengths, new.lengths), chosen),
        scores=scores,
    )


def _unfinished_where_none_finished(
    state: BeamState, limits: Int[Array, " B"], length_exponent: float | Float[Array, ""]
) -> Hypotheses:
    """A sentence whose limit came first gets its live hypotheses, cut off."""
    cut = state.finished.replace(
        words=state.live_words,
        lengths=jnp.broadcast_to(limits[:, None], state.live_scores.shape),
        scores=state.live_scores / _power(limits, length_exponent)[:, None],
    )
    none = state.finished.scores[:, 0] == -jnp.inf
    return jax.tree.map(
        lambda a, b: jnp.where(none.reshape(-1, *[1] * (a.ndim - 1)), a, b), cut, state.finished
    )
