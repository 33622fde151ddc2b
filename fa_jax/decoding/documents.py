"""Translates any number of documents: few padded shapes, bounded memory, all local devices."""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int

from fa_jax.config import DecodingConfig
from fa_jax.data.batches import pad
from fa_jax.data.vocabulary import END
from fa_jax.decoding.document_search import Progress, advance, begin
from fa_jax.decoding.search import (
    BY_SENTENCE,
    WHOLE,
    Hypothesis,
    SearchResult,
    TrainedModel,
    length_limit,
    on_local_devices,
    padded_batches,
    shape_for,
)
from fa_jax.decoding.shortlist import Shortlist, candidates, enlarged
from fa_jax.kept_programs import KeptProgram

Document = Sequence[Sequence[int]]
"""Lines of words."""
POSITIONS_AT_ONCE = 2**17
"""Of all documents that are searched together: memory has a bound, but for one document's own."""
STEPS_AT_ONCE = 1024
"""Between two reports of progress."""
FEWEST_LINES, TIMES_LINES = 16, 4
"""Documents are padded to so many lines, or four times, sixteen times … as many."""


def joined(lines: Document) -> list[int]:
    """A document as one source: an end of sentence between lines."""
    words = [word for line in lines for word in (*line, END)]
    return words[:-1]


def search_documents(
    members: Sequence[TrainedModel],
    decoding: DecodingConfig,
    documents: Sequence[Sequence[Document]],
    *,
    lexicon: Int[np.ndarray, "words translations"] | None = None,
    progress: Callable[[int], object] = lambda lines: None,
) -> list[list[SearchResult]]:
    """Beam search for each line of each document, in the order given.

    A line without words is translated as empty.

    Args:
      members, lexicon: as of `search_translations`. documents: of each member.
      decoding: its `max_source_length` does not count: what a step costs does not depend on it.
      progress: told how many lines are done.
    """
    kept = [[[line for line in lines if line] for lines in of_one] for of_one in documents]
    sources = [[joined(lines) for lines in of_one] for of_one in kept]
    longest = [max(map(len, source)) for source in zip(*sources, strict=True)]
    params = [member.on_devices for member in members]
    vocabulary = params[0]["decoder"]["output"]["bias"].shape[0]
    frequent = min(decoding.shortlist or vocabulary, vocabulary)
    implementation, shape_of = shape_for(members, decoding)
    devices = jax.local_device_count()
    found: dict[int, list[SearchResult]] = {}

    def rows_of(shape: tuple[int, ...]) -> int:
        most = min(decoding.batch_size, max(1, POSITIONS_AT_ONCE // max(shape)), len(longest))
        return -(-most // devices) * devices

    for rows, sides in padded_batches(
        sources, [(n,) * len(members) for n in longest], rows_of, shape_of
    ):
        padded, lengths = zip(*sides, strict=True)
        lines = [kept[0][row] for row in rows]
        limits = _limits(lines, len(lengths[0]), decoding)
        begins = [pad([_begins(of_one[row]) for row in rows], *limits.shape)[0] for of_one in kept]
        own = np.zeros((len(limits), 0), np.int32)
        if frequent < vocabulary:
            own = candidates(lexicon, padded[0], lengths[0], frequent, vocabulary)
        shared = {
            "configs": tuple(member.config for member in members),
            "beam_size": min(decoding.beam_size, vocabulary),
            "output_dtype": None if decoding.output_dtype == "model" else decoding.output_dtype,
        }
        steps = enlarged(2 * padded[0].shape[1], int(limits.sum(1).max()))
        shortlist = Shortlist(own, frequent)
        numbers = jnp.float32(decoding.threshold), jnp.float32(decoding.length_power)
        read, now = _program(begin, steps=steps, **shared)(
            params, padded, lengths, limits, shortlist
        )
        search = _program(
            advance,
            steps=STEPS_AT_ONCE,
            implementation=implementation,
            **shared,
        )
        counts, told = np.array([len(of_one) for of_one in lines]), 0
        while told < counts.sum():
            now = search(params, read, now, begins, limits, shortlist, *numbers)
            done = int(np.minimum(np.asarray(now.line)[: len(rows)], counts).sum())
            progress(done - told)
            told = done
        now = jax.device_get(now)
        for place, row in enumerate(rows):
            found[row] = _results(now, place, len(kept[0][row]))
    return [_with_empty_lines(lines, found.get(row, [])) for row, lines in enumerate(documents[0])]


@functools.lru_cache(maxsize=64)
def _program(function: Callable, **options: Any) -> KeptProgram:
    """`begin` or `advance` with these options."""
    arrays = (4, 0) if function is begin else (5, 2)
    in_specs = WHOLE, *[BY_SENTENCE] * arrays[0], *[WHOLE] * arrays[1]
    return on_local_devices(function, *in_specs, **options)


def _limits(
    documents: Sequence[Document], rows: int, decoding: DecodingConfig
) -> Int[np.ndarray, "B N"]:
    """Most words of each line's translation."""
    lines = enlarged(FEWEST_LINES, max(map(len, documents)), TIMES_LINES)
    most = [[length_limit(len(line), decoding) for line in document] for document in documents]
    return pad(most, rows, lines)[0]


def _begins(document: Document) -> list[int]:
    """Where its lines begin in `joined`."""
    return list(itertools.accumulate([len(line) + 1 for line in document[:-1]], initial=0))


def _results(progress: Progress, place: int, count: int) -> list[SearchResult]:
    """Of the lines of one document; what the search cost stands at its first one."""
    lines = jax.tree.map(lambda leaf: leaf[place, :count].tolist(), progress.lines)
    found = []
    for start, length, last, score in zip(
        lines.starts, lines.lengths, lines.places, lines.scores, strict=True
    ):
        words = []
        for time in range(start + length - 1, start - 1, -1):
            last, word = progress.notes[place, time, last].tolist()
            words.append(word)
        words = [word for word in reversed(words) if word != END]
        cost = (0, 0) if found else (int(progress.scored[place]), int(progress.calls[place]))
        found.append(SearchResult([Hypothesis(words, score)], *cost))
    return found


def _with_empty_lines(lines: Document, found: list[SearchResult]) -> list[SearchResult]:
    waiting, nothing = iter(found), SearchResult([Hypothesis([], 0.0)], 0, 0)
    return [next(waiting) if line else nothing for line in lines]
