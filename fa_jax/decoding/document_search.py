"""Beam search through documents: each is read once, whole, and written line by line.

Where a line ends its best translation stays, and the next line is searched from the state behind
it, which knows what was written so far, with the focus in front of the source's next line. So a
hypothesis is never longer than a line, each line has its translation, and a step costs what it
costs in a sentence.

`begin`, then `advance` as often as it takes: between two calls the caller can say how far it is.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int

from fa_jax.attention import AttentionState
from fa_jax.config import ModelConfig
from fa_jax.data.vocabulary import END
from fa_jax.decoding.beam import Beam, Places
from fa_jax.decoding.member import Read, prepared_members
from fa_jax.decoding.shortlist import Shortlist
from fa_jax.model.decoder import DecoderState
from fa_jax.model.encoder_decoder import Params

OF_A_LINE = ("limits", "step", "last", "live_scores", "decoders", "ends", "scored", "calls")
"""What of `Places` begins anew with a line."""


@struct.dataclass
class Lines:
    """N lines of each document.

    starts: steps before a line's first word. lengths: words, end of sentence included where there
    was room. places: in the beam, of its last word. scores: as of `Hypotheses`.
    """

    starts: Int[Array, "B N"]
    lengths: Int[Array, "B N"]
    places: Int[Array, "B N"]
    scores: Float[Array, "B N"]


@struct.dataclass
class Progress:
    """All that a step changes; leaves have a row a document.

    line: the number of the one that is searched, and `search` what `Places` has of it. best:
    decoders behind its best end so far. time: steps so far, in each row the same. notes: of each
    step, as of `Queue`. lines: those before this one. scored, calls: theirs, as of `Hypotheses`.
    """

    line: Int[Array, " B"]
    search: dict[str, Any]
    best: list[DecoderState]
    time: Int[Array, " B"]
    notes: Int[Array, "B T K 2"]
    lines: Lines
    scored: Int[Array, " B"]
    calls: Int[Array, " B"]


def begin(
    params: Sequence[Params],
    sources: Sequence[Int[Array, "B S"]],
    lengths: Sequence[Int[Array, " B"]],
    limits: Int[Array, "B N"],
    shortlist: Shortlist,
    *,
    configs: Sequence[ModelConfig],
    beam_size: int,
    steps: int,
    output_dtype: str | None = None,
) -> tuple[list[Read], Progress]:
    """Reads documents, and stands before the first word of each.

    Args:
      params, sources, lengths, configs: as of `beam_search`; a source is a document, its lines with
        an end of sentence between them.
      limits: most words of each line's translation; 0 behind a document's last line.
      shortlist, beam_size, output_dtype: as of `beam_search`.
      steps: T, at least the sum of a document's limits.
    """
    settings = {"shortlist": shortlist, "output_dtype": output_dtype, "many": True}
    members = prepared_members(params, configs, **settings)
    read = [
        member.read(source, length, shortlist.candidates)
        for member, source, length in zip(members, sources, lengths, strict=True)
    ]
    documents = jnp.arange(len(limits))
    places = Beam(members, beam_size, 1, 1.0).start(documents, read, limits[:, 0], shortlist)
    zeros = jnp.zeros_like(limits)
    return read, Progress(
        line=zeros[:, 0],
        search={name: getattr(places, name) for name in OF_A_LINE},
        best=_of_place(places.decoders, zeros[:, 0]),
        time=zeros[:, 0],
        notes=jnp.zeros((len(limits), steps, beam_size, 2), jnp.int32),
        lines=Lines(zeros, zeros, zeros, jnp.zeros(limits.shape)),
        scored=zeros[:, 0],
        calls=zeros[:, 0],
    )


def advance(
    params: Sequence[Params],
    read: list[Read],
    progress: Progress,
    begins: Sequence[Int[Array, "B N"]],
    limits: Int[Array, "B N"],
    shortlist: Shortlist,
    threshold: float | Float[Array, ""],
    length_exponent: float | Float[Array, ""] = 1.0,
    *,
    configs: Sequence[ModelConfig],
    beam_size: int,
    steps: int,
    implementation: str | None = None,
    output_dtype: str | None = None,
) -> Progress:
    """So many steps on, or to the end of all documents.

    Args:
      params, limits, shortlist, configs, beam_size, output_dtype: as of `begin`.
      begins: of each member, positions of the lines' first words.
      read, progress: from there.
      threshold, length_exponent, implementation: as of `beam_search`. steps: at most so many.
    """
    settings = {"shortlist": shortlist, "output_dtype": output_dtype, "many": True}
    settings |= {"threshold": threshold, "implementation": implementation}
    members = prepared_members(params, configs, **settings)
    beam = Beam(members, beam_size, 1, length_exponent)
    count, until = (limits > 0).sum(1), progress.time[0] + steps
    places = partial(Places, sentence=progress.line, read=read, shortlist=shortlist)

    def step(progress: Progress) -> Progress:
        before = places(**progress.search)
        after, note = beam.step(before)
        better = after.ends.scores[:, 0] > before.ends.scores[:, 0]
        best = _where(better, _of_place(after.decoders, after.ends.places[:, 0]), progress.best)
        notes = jax.lax.dynamic_update_slice_in_dim(
            progress.notes, note[:, None], progress.time[0], axis=1
        )
        progress = progress.replace(best=best, notes=notes, time=progress.time + 1)
        done = ~beam.is_open(after) & (progress.line < count)
        return _next_line(progress, after, done, begins, limits, beam)

    return jax.lax.while_loop(
        lambda progress: (progress.line < count).any() & (progress.time[0] < until), step, progress
    )


def _next_line(
    progress: Progress,
    places: Places,
    done: Bool[Array, " B"],
    begins: Sequence[Int[Array, "B N"]],
    limits: Int[Array, "B N"],
    beam: Beam,
) -> Progress:
    """Where a line is done, keeps what it has come to, and begins the one behind it."""
    ends, line, row = places.ends, progress.line, jnp.arange(len(done))
    cut = ends.scores[:, 0] == -jnp.inf  # the limit came first
    highest = places.live_scores.argmax(1)
    mean = places.live_scores.max(1) / beam.power(places.step)
    own = Lines(
        starts=progress.time - places.step,
        lengths=jnp.where(cut, places.step, ends.lengths[:, 0]),
        places=jnp.where(cut, highest, ends.places[:, 0]),
        scores=jnp.where(cut, mean, ends.scores[:, 0]),
    )
    at = jnp.where(done, line, limits.shape[1])
    state = _where(cut, _of_place(places.decoders, highest), progress.best)
    state = [
        one.replace(attention=_at(one.attention, _following(begin, line) - 1))
        for one, begin in zip(state, begins, strict=True)
    ]
    fresh = beam.start(places.sentence, places.read, _following(limits, line), places.shortlist)
    fresh = fresh.replace(
        last=jnp.full_like(places.last, END),
        decoders=jax.tree.map(
            lambda x: jnp.broadcast_to(x[:, None], (len(x), beam.size, *x.shape[1:])), state
        ),
    )
    return progress.replace(
        line=line + done,
        search={n: _where(done, getattr(fresh, n), getattr(places, n)) for n in OF_A_LINE},
        lines=jax.tree.map(
            lambda all_, new: all_.at[row, at].set(new, mode="drop"), progress.lines, own
        ),
        scored=progress.scored + jnp.where(done, places.scored, 0),
        calls=progress.calls + jnp.where(done, places.calls, 0),
    )


def _following(of_lines: Int[Array, "B N"], line: Int[Array, " B"]) -> Int[Array, " B"]:
    """What the next line has; 0 behind the last one."""
    place = line[:, None] + 1
    return jnp.take_along_axis(of_lines, place, axis=1, mode="fill", fill_value=0)[:, 0]


def _at(attention: AttentionState, position: Int[Array, " B"]) -> AttentionState:
    """With the focus there, in front of a line, as in training (`line_begins`): what went astray in
    one line does not in the next."""
    return attention.replace(focus=position.astype(attention.focus.dtype))


def _of_place(decoders: list[DecoderState], place: Int[Array, " B"]) -> list[DecoderState]:
    """Of each document the state of one place in the beam."""
    return jax.tree.map(lambda leaf: leaf[jnp.arange(len(leaf)), place], decoders)


def _where(chosen: Bool[Array, " B"], new: Any, old: Any) -> Any:
    """Of each chosen document what is new, leaves [B, ...]."""
    return jax.tree.map(
        lambda x, y: jnp.where(chosen.reshape(-1, *[1] * (x.ndim - 1)), x, y), new, old
    )
