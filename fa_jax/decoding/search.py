"""Beam search for any number of documents; a sentence is a document of one line.

Batches by length, few padded shapes, bounded memory, all local devices.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int, PyTree

from fa_jax.attention.implementation import for_search
from fa_jax.config import DecodingConfig
from fa_jax.data.batches import pad
from fa_jax.data.vocabulary import END
from fa_jax.decoding.beam import SearchSettings
from fa_jax.decoding.beam_search import Hypotheses, beam_search
from fa_jax.decoding.documents import read_documents, write_lines
from fa_jax.decoding.guided import Guide, Kinds, guided_search, terms_of
from fa_jax.decoding.local_devices import (
    SHORTEST_SHAPE,
    SMALLEST_BATCH,
    TrainedModel,
    batch_rows,
    enlarged,
    on_local_devices,
    padded_batches,
)
from fa_jax.decoding.shortlist import candidates_for
from fa_jax.model.encoder_decoder import Params

QUEUE = 8
"""Batches of sentences that wait together: when a sentence is done, the next takes its place."""
POSITIONS_AT_ONCE = 2**17
"""Of all documents that are searched together: memory has a bound, but for one document's own."""
LINES_AT_ONCE = 64
"""Of each document: behind them the search can say how far it is, and be stopped."""
Document = Sequence[Sequence[int]]
"""Lines of words."""


@dataclass(frozen=True)
class Hypothesis:
    """Target words without the end of sentence; sum of log p ÷ number of words, end included."""

    words: list[int]
    score: float


@dataclass(frozen=True)
class SearchResult:
    """A line's hypotheses, best first, and what their search cost.

    scored: positions whose score was computed; calls: attention calls; both summed over steps, live
    hypotheses and members of an ensemble.
    """

    hypotheses: list[Hypothesis]
    scored: int
    calls: int


def search(
    members: Sequence[TrainedModel],
    decoding: DecodingConfig,
    documents: Sequence[Sequence[Document]],
    *,
    n_best: int = 1,
    forbidden: Sequence[int] = (),
    lexicon: Int[np.ndarray, "words translations"] | None = None,
    guides: Sequence[Guide] = (),
    kinds: Kinds | None = None,
    progress: Callable[[int], object] = lambda lines: None,
) -> list[SearchResult]:
    """Beam search for each line of each document, in the order given.

    Documents of one line, of at most `max_source_length` words, wait as sentences in a queue. If
    there are others, all are read whole and written line by line. A result depends on its own
    document alone, not on the batch it shares. A line without words is translated as empty.

    Args:
      members: one model, or an ensemble. documents: of each, as its own vocabulary has them.
      n_best: so many hypotheses of a sentence are the best ones; behind several stand further ones
        that the search finished. Of longer documents each line has one.
      forbidden: words that no translation has, as of `beam_search`.
      lexicon: likely translations of the first member's source words, for `decoding.shortlist`.
      guides: of each sentence, what its translations must have; none where nothing is wanted.
      kinds: of the target's words, for these.
      progress: told how many lines more are done.

    Raises:
      ValueError: a shortlist without a lexicon; guides of documents.
    """
    lengths = [  # of each line, as the member has it that makes most words of it
        [max(map(len, line)) for line in zip(*document, strict=True)]
        for document in zip(*documents, strict=True)
    ]
    documents = [
        [list(itertools.compress(*lines)) for lines in zip(of_member, lengths, strict=True)]
        for of_member in documents
    ]
    sources = [[joined(document) for document in of_member] for of_member in documents]
    longest = [max(map(len, source)) for source in zip(*sources, strict=True)]
    sentences = all(len(document) <= 1 for document in documents[0]) and all(
        length <= decoding.max_source_length for length in longest
    )
    if guides and not sentences:
        raise ValueError("guides are for sentences that are searched by themselves")
    params = [member.on_devices for member in members]
    vocabulary = params[0]["decoder"]["output"]["bias"].shape[0]
    frequent = decoding.shortlist if 0 < decoding.shortlist < vocabulary else vocabulary
    implementation = decoding.implementation
    if implementation == "auto":
        implementation = for_search([member.config.attention for member in members])
    options = {
        "configs": tuple(member.config for member in members),
        "frequent": frequent,
        "beam_size": min(decoding.beam_size, vocabulary),
        "n_best": n_best if sentences else 1,
        "forbidden": tuple(forbidden),
        "implementation": implementation,
        "output_dtype": decoding.output_dtype,
    }
    numbers = jnp.float32(decoding.threshold), jnp.float32(decoding.length_power)
    devices, most_places = jax.local_device_count(), batch_rows(len(longest), decoding)

    def rows_of(shape: tuple[int, ...], count: int) -> int:
        if sentences:
            return batch_rows(count, decoding) * (QUEUE if count > SMALLEST_BATCH else 1)
        most = min(decoding.batch_size, max(1, POSITIONS_AT_ONCE // max(shape)), len(longest))
        return -(-most // devices) * devices

    results: dict[int, list[SearchResult]] = defaultdict(list)
    shared = [(length,) * len(members) for length in longest]
    in_windows = implementation == "windowed"
    for rows, sides in padded_batches(sources, shared, rows_of, in_windows=in_windows):
        padded, sizes = zip(*sides, strict=True)
        guided = [guides[row] for row in rows] if guides else []
        limits = [[length_limit(n, decoding) for n in lengths[row] if n] for row in rows]
        counts = [*map(len, limits)]
        lines = 1 if sentences else -(-max(counts) // LINES_AT_ONCE) * LINES_AT_ONCE
        limits, _ = pad(limits, len(padded[0]), lines)
        longest_line = enlarged(SHORTEST_SHAPE, int(limits.max()))
        if sentences:
            longest_line = length_limit(padded[0].shape[1], decoding)
        wanted = [guide.words for guide in guided]
        own = candidates_for(padded[0], sizes[0], frequent, vocabulary, lexicon, wanted)
        if guided:
            own = own, terms_of(guided, limits[:, 0])
            more = np.array([*map(len, wanted), *[0] * (len(limits) - len(rows))])
            limits = limits + (more[:, None] * (limits > 0)).astype(limits.dtype)
            longest_line += enlarged(SHORTEST_SHAPE, int(more.max()))
        settings = SearchSettings(max_length=longest_line, **options)
        fronts = [_fronts([of[row] for row in rows], limits.shape) for of in documents]
        # To each device in turn, since the longest come first.
        dealt = np.arange(len(limits)).reshape(-1, devices).T.reshape(-1)
        batch, limits, fronts = _taken(((padded, sizes, own), limits, fronts), dealt)
        if sentences:
            places = min(len(limits), most_places)
            shape = {"places": places // devices, "few": places <= SMALLEST_BATCH}
            *read, own = batch
            arguments = params, *read, limits[:, 0], own, *numbers
            program = on_local_devices(beam_search, 4, 2, settings=settings, **shape)
            if guided:
                program = on_local_devices(guided_search, 4, 3, settings=settings, **shape)
                arguments += (kinds,)
            written = [program(*arguments)]
        else:
            written = _lines(params, batch, limits, fronts, numbers, settings)
        for line, found in enumerate(written):
            found = _taken(jax.device_get(found), np.argsort(dealt))
            there = [place for place, count in enumerate(counts) if line < count]
            for place in there:
                results[rows[place]].append(_result(found, place, options["n_best"]))
            progress(len(there))
    of_lines = (result for _, of_document in sorted(results.items()) for result in of_document)
    nothing = SearchResult([Hypothesis([], 0.0)], 0, 0)
    return [next(of_lines) if length else nothing for lines in lengths for length in lines]


def _lines(
    params: Sequence[Params],
    batch: tuple,
    limits: Int[np.ndarray, "B N"],
    fronts: Sequence[Int[np.ndarray, "B N"]],
    numbers: tuple,
    settings: SearchSettings,
) -> Iterator[Hypotheses]:
    """Of the first line of each document, of the second one …"""
    read, states = on_local_devices(read_documents, 3, settings=settings)(params, *batch)
    write = on_local_devices(write_lines, 4, 2, settings=settings)
    parts = limits.shape[1] // LINES_AT_ONCE
    for part, *of_part in zip(*(np.split(of, parts, axis=1) for of in (limits, *fronts))):
        found, states = write(params, read, states, part, of_part, *numbers)
        found = jax.device_get(found)
        for line in range(LINES_AT_ONCE):
            yield jax.tree.map(lambda leaf, line=line: leaf[:, line], found)


def _fronts(documents: Sequence[Document], shape: tuple[int, int]) -> Int[np.ndarray, "B N"]:
    """Of each line the end of sentence in front of it; of a document's first one -1."""
    ends = [np.cumsum([0, *(len(line) + 1 for line in lines[:-1])]) - 1 for lines in documents]
    return pad(ends, *shape)[0]


def joined(lines: Document) -> list[int]:
    """A document as one source: an end of sentence between lines."""
    words = [word for line in lines for word in (*line, END)]
    return words[:-1]


def average_window(results: Sequence[SearchResult]) -> float:
    """Score evaluations ÷ attention calls, over all lines, steps and live hypotheses."""
    return sum(r.scored for r in results) / max(1, sum(r.calls for r in results))


def length_limit(source_length: int, decoding: DecodingConfig) -> int:
    """Most words of a translation."""
    return int(decoding.max_length_ratio * source_length) + decoding.max_length_extra


def _taken(tree: PyTree, rows: Int[np.ndarray, " B"]) -> PyTree:
    return jax.tree.map(lambda leaf: leaf[rows], tree)


def _result(found: Hypotheses, row: int, n_best: int) -> SearchResult:
    found = jax.tree.map(lambda leaf: leaf[row], found)
    hypotheses = [
        Hypothesis([int(word) for word in words[:length] if word != END], float(score))
        for words, length, score in zip(found.words, found.lengths, found.scores, strict=True)
        if np.isfinite(score)
    ]
    kept = 1 if n_best == 1 else None
    return SearchResult(hypotheses[:kept], int(found.scored), int(found.calls))
