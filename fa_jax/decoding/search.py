"""Beam search for any number of documents; a sentence is a document of one line.

Batches by length, few padded shapes, bounded memory, all local devices.
"""

import itertools
from collections.abc import Callable, Sequence
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

QUEUE = 8
"""Batches of sentences that wait together: when a sentence is done, the next takes its place."""
POSITIONS_AT_ONCE = 2**17
"""Of all documents that are searched together: memory has a bound, but for one document's own."""
FEWEST_LINES = 64
"""Documents are padded to this many lines, or twice, four times … as many."""
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
      progress: told how many lines more are done.

    Raises:
      ValueError: a shortlist without a lexicon.
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
    devices, places = jax.local_device_count(), batch_rows(len(longest), decoding)

    def rows_of(shape: tuple[int, ...]) -> int:
        if sentences:
            return places * (QUEUE if len(longest) > SMALLEST_BATCH else 1)
        most = min(decoding.batch_size, max(1, POSITIONS_AT_ONCE // max(shape)), len(longest))
        return -(-most // devices) * devices

    results: dict[int, list[SearchResult]] = {}
    shared = [(length,) * len(members) for length in longest]
    in_windows = implementation == "windowed"
    for rows, sides in padded_batches(sources, shared, rows_of, in_windows=in_windows):
        padded, sizes = zip(*sides, strict=True)
        limits = [[length_limit(n, decoding) for n in lengths[row] if n] for row in rows]
        counts = [*map(len, limits)]
        lines = 1 if sentences else enlarged(FEWEST_LINES, max(counts))
        limits, _ = pad(limits, len(padded[0]), lines)
        longest_line = enlarged(SHORTEST_SHAPE, int(limits.max()))
        if sentences:
            longest_line = length_limit(padded[0].shape[1], decoding)
        candidates = candidates_for(padded[0], sizes[0], frequent, vocabulary, lexicon)
        # To each device in turn, since the longest come first.
        dealt = np.arange(len(limits)).reshape(-1, devices).T.reshape(-1)
        batch = _taken((padded, sizes, limits, candidates), dealt)
        program = on_local_devices(
            beam_search,
            4,
            2,
            few=sentences and places <= SMALLEST_BATCH,
            settings=SearchSettings(max_length=longest_line, **options),
            places=places // devices if sentences else None,
        )
        found = _taken(jax.device_get(program(params, *batch, *numbers)), np.argsort(dealt))
        for place, (row, count) in enumerate(zip(rows, counts, strict=True)):
            results[row] = [_result(found, place, line, options["n_best"]) for line in range(count)]
        progress(sum(counts))
    of_lines = (result for _, of_document in sorted(results.items()) for result in of_document)
    nothing = SearchResult([Hypothesis([], 0.0)], 0, 0)
    return [next(of_lines) if length else nothing for lines in lengths for length in lines]


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


def _result(found: Hypotheses, row: int, line: int, n_best: int) -> SearchResult:
    found = jax.tree.map(lambda leaf: leaf[row, line], found)
    hypotheses = [
        Hypothesis([int(word) for word in words[:length] if word != END], float(score))
        for words, length, score in zip(found.words, found.lengths, found.scores, strict=True)
        if np.isfinite(score)
    ]
    kept = 1 if n_best == 1 else None
    return SearchResult(hypotheses[:kept], int(found.scored), int(found.calls))
