"""Beam search for any number of documents; a sentence is a document of one line.

Batches by length, few padded shapes, bounded memory, all local devices.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from fa_jax.config import DecodingConfig
from fa_jax.data.batches import pad
from fa_jax.data.vocabulary import END
from fa_jax.decoding.beam_search import Hypotheses, beam_search
from fa_jax.decoding.documents import read_documents, write_lines
from fa_jax.decoding.guided import Guide, Kinds, guided_search, terms_of
from fa_jax.decoding.local_devices import (
    SHORTEST_SHAPE,
    SMALLEST_BATCH,
    TrainedModel,
    batch_rows,
    enlarged,
    of_each,
    on_local_devices,
    padded_batches,
)
from fa_jax.decoding.search_settings import SearchSettings, search_settings
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
    sources = [
        [joined([*itertools.compress(*lines)]) for lines in zip(of_member, lengths, strict=True)]
        for of_member in documents
    ]
    written = [[*filter(None, lines)] for lines in lengths]
    sentences = all(
        len(lines) <= 1 and sum(lines) <= decoding.max_source_length for lines in written
    )
    if guides and not sentences:
        raise ValueError("guides are for sentences that are searched by themselves")
    n_best = n_best if sentences else 1
    settings = search_settings(members, decoding, n_best=n_best, forbidden=tuple(forbidden))
    asked = _Asked(members, decoding, sources, lexicon, settings)
    found = _of_sentences(asked, guides, kinds) if sentences else _of_documents(asked, written)
    results: dict[int, list[SearchResult]] = defaultdict(list)
    for rows, hypotheses in found:
        for row, of_line in of_each(rows, hypotheses):
            results[row].append(_result(of_line, n_best))
        progress(int(np.count_nonzero(rows >= 0)))
    of_lines = (result for _, of_document in sorted(results.items()) for result in of_document)
    nothing = SearchResult([Hypothesis([], 0.0)], 0, 0)
    return [next(of_lines) if length else nothing for lines in lengths for length in lines]


@dataclass(frozen=True)
class _Asked:
    """What is alike in all batches of a search. sources: documents without empty lines, as each
    member reads them. settings: a batch has its own `max_length`."""

    members: Sequence[TrainedModel]
    decoding: DecodingConfig
    sources: Sequence[Sequence[Sequence[int]]]
    lexicon: Int[np.ndarray, "words translations"] | None
    settings: SearchSettings

    @property
    def params(self) -> list[Params]:
        return [member.on_devices for member in self.members]

    @property
    def numbers(self) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """Threshold and length exponent."""
        return jnp.float32(self.decoding.threshold), jnp.float32(self.decoding.length_power)

    def batches(self, rows_of: Callable[[int, int], int]) -> Iterator[tuple]:
        """`padded_batches`: numbers, then sources and their lengths, of each member."""
        in_windows = self.settings.implementation == "windowed"
        for rows, sides in padded_batches(self.sources, rows_of, in_windows=in_windows):
            yield rows, *zip(*sides, strict=True)

    @property
    def candidates(self) -> Callable[..., Int[np.ndarray, "B C"]]:
        """`candidates_for`, given sources, lengths and what is wanted."""
        words = {"frequent": self.settings.frequent, "vocabulary": self.members[0].vocabulary}
        return partial(candidates_for, **words, lexicon=self.lexicon)


Found = Iterator[tuple[Int[np.ndarray, " B"], Hypotheses]]
"""The numbers of a batch's documents, -1 where there is none, and what was found of the next line
of each."""


def _of_sentences(asked: _Asked, guides: Sequence[Guide], kinds: Kinds | None) -> Found:
    """They wait in a queue: when one is done, the next takes its place."""
    decoding, devices = asked.decoding, jax.local_device_count()
    most_places = batch_rows(len(asked.sources[0]), decoding)

    def rows_of(shape: int, count: int) -> int:
        return batch_rows(count, decoding) * (QUEUE if count > SMALLEST_BATCH else 1)

    for rows, sources, lengths in asked.batches(rows_of):
        limits = length_limits(np.max(lengths, axis=0), decoding)
        longest = int(length_limits(sources[0].shape[1], decoding))
        wanted = [guides[row] if row >= 0 else Guide() for row in rows] if guides else []
        words = [guide.words for guide in wanted]
        own = asked.candidates(sources[0], lengths[0], wanted=words)
        function, numbers = beam_search, asked.numbers
        if guides:
            more = np.array([*map(len, words)], np.int32)
            own = own, terms_of(wanted, limits)
            limits, longest = limits + more, longest + enlarged(SHORTEST_SHAPE, int(more.max()))
            function, numbers = guided_search, (*numbers, kinds)
        places = min(len(rows), most_places)
        shape = {"places": places // devices, "few": places <= SMALLEST_BATCH}
        settings = replace(asked.settings, max_length=longest)
        program = on_local_devices(function, 4, len(numbers), settings=settings, **shape)
        yield rows, program(asked.params, sources, lengths, limits, own, *numbers)


def _of_documents(asked: _Asked, written: Sequence[Sequence[int]]) -> Found:
    """All are read whole, and written line by line. written: how long the lines of each are."""
    decoding, devices = asked.decoding, jax.local_device_count()

    def rows_of(shape: int, count: int) -> int:
        most = min(decoding.batch_size, max(1, POSITIONS_AT_ONCE // shape), len(written))
        return -(-most // devices) * devices

    for rows, sources, lengths in asked.batches(rows_of):
        lines = [written[row] if row >= 0 else [] for row in rows]
        parts = -(-max(map(len, lines)) // LINES_AT_ONCE)
        lines, counts = pad(lines, len(rows), parts * LINES_AT_ONCE)
        limits = length_limits(lines, decoding)
        fronts = [  # of each line the end of sentence before it; of a document's first one -1
            pad([np.append(-1, np.flatnonzero(words == END)) for words in source], *limits.shape)[0]
            for source in sources
        ]
        longest = enlarged(SHORTEST_SHAPE, int(limits.max()))
        settings = replace(asked.settings, max_length=longest)
        read = on_local_devices(read_documents, 3, settings=asked.settings)
        write = on_local_devices(write_lines, 4, 2, settings=settings)
        own = asked.candidates(sources[0], lengths[0])
        read = read(asked.params, sources, lengths, own)
        states = [source.start for source, _ in read]
        there = np.where(np.arange(limits.shape[1]) < counts[:, None], rows[:, None], -1)
        each = (np.split(of, parts, axis=1) for of in (there, limits, *fronts))
        for there, part, *of_part in zip(*each, strict=True):
            found, states = write(asked.params, read, states, part, of_part, *asked.numbers)
            found = jax.device_get(found)
            for place, of_lines in enumerate(there.T):
                yield of_lines, jax.tree.map(lambda leaf, place=place: leaf[:, place], found)


def joined(lines: Document) -> list[int]:
    """A document as one source: an end of sentence between lines."""
    words = [word for line in lines for word in (*line, END)]
    return words[:-1]


def average_window(results: Sequence[SearchResult]) -> float:
    """Score evaluations ÷ attention calls, over all lines, steps and live hypotheses."""
    return sum(r.scored for r in results) / max(1, sum(r.calls for r in results))


def length_limits(
    source_lengths: Int[np.ndarray, "*B"] | int, decoding: DecodingConfig
) -> Int[np.ndarray, "*B"]:
    """Most words of translations; 0 where there is no word to translate."""
    limits = np.int32(decoding.max_length_ratio * source_lengths)
    return np.where(source_lengths > 0, limits + decoding.max_length_extra, 0)


def _result(found: Hypotheses, n_best: int) -> SearchResult:
    """Of one line."""
    hypotheses = [
        Hypothesis([int(word) for word in words[:length] if word != END], float(score))
        for words, length, score in zip(found.words, found.lengths, found.scores, strict=True)
        if np.isfinite(score)
    ]
    kept = 1 if n_best == 1 else None
    return SearchResult(hypotheses[:kept], int(found.scored), int(found.calls))
