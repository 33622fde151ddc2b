"""Beam search: a `lax.while_loop`, sentences and hypotheses batched.

Several models may search together, as an ensemble: the mean of their log probabilities decides.
Each step keeps a sentence's K best continuations. One that ends leaves the beam for the list of
finished hypotheses; a sentence is done when none of its live hypotheses can still win. When half of
the sentences are done, the others go on in a loop of half the size. A step notes words and which
hypotheses they continue; translations are read back from these notes once, when all are done.
"""

import functools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.config import ModelConfig
from fa_jax.data.vocabulary import BEGIN, END
from fa_jax.decoding.shortlist import OwnWords, Shortlist, output_layer
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import Params, Source, cast_for_compute, embed_target, read_source

SMALLEST_BATCH = 8
"""Sentences: so few go on together to the end, even when half of them are done."""


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
class BeamState:
    """What the search knows of its sentences, and everything that a step of it changes.

    members: what each has read, and its output layer's part for words of the sentence's own.
    limits, shortlist: as of `beam_search`.
    notes: of each step the places in the last beam that were continued, and the words that did.
    last: words of the last step. live_scores: sums of log p; -inf marks an empty place in the
    beam. decoders: of each member. scored, calls: as of `Hypotheses`.
    """

    members: list[tuple[Source, OwnWords]]
    limits: Int[Array, " B"]
    shortlist: Shortlist
    step: Int[Array, ""]
    notes: Int[Array, "B L K 2"]
    last: Int[Array, "B K"]
    live_scores: Float[Array, "B K"]
    decoders: list[decoder.DecoderState]
    finished: Ends
    scored: Int[Array, " B"]
    calls: Int[Array, " B"]


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
    n_best: int = 1,
    implementation: str | None = None,
    output_dtype: str | None = None,
) -> Hypotheses:
    """The best translations of each sentence.

    Args:
      params, sources, lengths, configs: an item for each model: one, or an ensemble with one target
        vocabulary. sources, lengths: the sentences as it reads them.
      limits: most words a sentence's translation may have; 0 for a row that is no sentence.
      shortlist: words that translations may use. threshold: τ (VS 3.1).
      length_exponent: of the number of words that sums of log p are divided by, so that hypotheses
        of different lengths compare.
      beam_size: K. max_length: L, no limit may be larger. n_best: the search goes on until so many
        hypotheses are safe.
      implementation: of attention; None: it chooses. output_dtype: of the output layer's products;
        None: the model's.
    """
    attention = {"threshold": threshold, "implementation": implementation}
    each = zip(params, configs, sources, lengths, strict=True)
    members = [_read(*one, shortlist, output_dtype, attention) for one in each]
    read, writers = zip(*members, strict=True)

    def is_open(state: BeamState) -> Bool[Array, " B"]:
        """Where a live hypothesis can still win: all its further words may be certain."""
        best_possible = state.live_scores.max(1) / _power(state.limits, length_exponent)
        to_beat = state.finished.scores[:, min(n_best, beam_size) - 1]
        return (best_possible > to_beat) & (state.step < state.limits)

    def step(state: BeamState) -> BeamState:
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
        scores, chosen = jax.lax.top_k(scores.reshape(len(searched), -1), beam_size)
        parent, word = chosen // listed, state.shortlist.words(chosen % listed)
        ended = word == END
        ends = Ends(
            scores=jnp.where(ended, scores / _power(state.step + 1, length_exponent), -jnp.inf),
            lengths=jnp.full_like(parent, state.step + 1),
            places=jax.lax.broadcasted_iota(jnp.int32, parent.shape, 1),
        )
        both = jax.tree.map(lambda a, b: jnp.concatenate([a, b], axis=1), state.finished, ends)
        _, best = jax.lax.top_k(both.scores, beam_size)
        note = jnp.stack([parent, word], axis=-1)[:, None]
        return state.replace(
            step=state.step + 1,
            notes=jax.lax.dynamic_update_slice_in_dim(state.notes, note, state.step, axis=1),
            last=word,
            live_scores=jnp.where(searched, jnp.where(ended, -jnp.inf, scores), state.live_scores),
            decoders=_choose(list(decoders), parent),
            finished=_choose(both, best),
            scored=state.scored + (sum(windows) * live).sum(1),
            calls=state.calls + len(writers) * live.sum(1),
        )

    zeros = jnp.zeros((len(limits), beam_size), jnp.int32)
    nothing = jnp.full(zeros.shape, -jnp.inf)
    starts = [source.start for source, _ in read]
    state = BeamState(
        members=list(read),
        limits=limits,
        shortlist=shortlist,
        step=jnp.int32(0),
        notes=jnp.zeros((len(limits), max_length, beam_size, 2), jnp.int32),
        last=jnp.full_like(zeros, BEGIN),
        live_scores=nothing.at[:, 0].set(0),
        decoders=jax.tree.map(lambda leaf: jnp.repeat(leaf[:, None], beam_size, axis=1), starts),
        finished=Ends(nothing, zeros, zeros),
        scored=zeros[:, 0],
        calls=zeros[:, 0],
    )
    state = _search_while_open(step, is_open, state)
    cut = Ends(
        scores=state.live_scores / _power(limits, length_exponent)[:, None],
        lengths=jnp.broadcast_to(limits[:, None], zeros.shape),
        places=jax.lax.broadcasted_iota(jnp.int32, zeros.shape, 1),
    )
    none_finished = state.finished.scores[:, :1] == -jnp.inf  # the limit came first
    ends = jax.tree.map(functools.partial(jnp.where, none_finished), cut, state.finished)
    words = _read_back(state.notes, ends)
    return Hypotheses(words, ends.lengths, ends.scores, state.scored, state.calls)


def _search_while_open(step, is_open, state: BeamState) -> BeamState:
    """Steps until no sentence is open. When half of them are done, the others go on alone."""
    sentences = len(state.limits)
    half = sentences // 2 if sentences > SMALLEST_BATCH else 0
    state = jax.lax.while_loop(lambda state: is_open(state).sum() > half, step, state)
    if not half:
        return state
    going_on = jnp.argsort(~is_open(state))[:half]
    rest = jax.tree.map(lambda leaf: leaf[going_on] if leaf.ndim else leaf, state)
    rest = _search_while_open(step, is_open, rest)
    return jax.tree.map(
        lambda leaf, new: leaf.at[going_on].set(new) if leaf.ndim else new, state, rest
    )


def _read(params, config, source, lengths, shortlist, output_dtype, attention):
    """What a member reads once, and its part of a step: it writes word by word."""
    whole = cast_for_compute(params, config)
    params = whole["decoder"]
    kernels = decoder.step_kernels(params, config)
    own_words, log_probs = output_layer(params["output"], shortlist, output_dtype)

    def write(source, own_words, state, last):
        """The next state, log probabilities of the listed words, and windows."""
        state, attended = decoder.decoder_step(
            params,
            config,
            lambda name, x: x @ kernels[name],
            state,
            decoder.feed_back(params, config, embed_target(whole, source, last)),
            source.memory,
            details=False,
            **attention,
        )
        words = log_probs(decoder.bottleneck(params, state.output), own_words)
        return state, words, attended.window

    return (read_source(whole, config, source, lengths), own_words), write


def _power(length: Int[Array, "*N"], exponent: float | Float[Array, ""]) -> Float[Array, "*N"]:
    return jnp.maximum(length, 1).astype(jnp.float32) ** exponent


def _choose(tree: PyTree, chosen: Int[Array, "B K"]) -> PyTree:
    """Of each sentence these rows: as a new hypothesis takes its parent's."""
    return jax.vmap(lambda rows, places: jax.tree.map(lambda leaf: leaf[places], rows))(
        tree, chosen
    )


def _read_back(notes: Int[Array, "B L K 2"], ends: Ends) -> Int[Array, "B K L"]:
    """The words of each hypothesis, from its end through those it continues; then padding."""

    def earlier(places: Int[Array, "B K"], of_step: tuple[Array, Array]):
        step, notes = of_step
        parents, words = jnp.moveaxis(_choose(notes, places), -1, 0)
        within = step < ends.lengths
        return jnp.where(within, parents, places), jnp.where(within, words, 0)

    steps = jnp.arange(notes.shape[1]), notes.swapaxes(0, 1)
    _, words = jax.lax.scan(earlier, ends.places, steps, reverse=True)
    return jnp.moveaxis(words, 0, -1)
