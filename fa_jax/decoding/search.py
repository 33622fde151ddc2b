"""Translates any number of sentences: batches by length, few padded shapes, all local devices."""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Int

from fa_jax.attention.implementation import for_search
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding.beam_search import END, SMALLEST_BATCH, Hypotheses, Member, beam_search
from fa_jax.decoding.shortlist import Shortlist, candidates, doubled
from fa_jax.model.encoder_decoder import Params

SHORTEST_SHAPE = 16
"""Sentences are padded to this many tokens, or twice, four times … as many."""


@dataclass(frozen=True)
class TrainedModel:
    """A trained model."""

    params: Params
    config: ModelConfig

    @functools.cached_property
    def on_devices(self) -> Params:
        """Its parameters on all local devices, brought there once for all searches and traces."""
        return jax.device_put(self.params, NamedSharding(_mesh(), PartitionSpec()))


@dataclass(frozen=True)
class Hypothesis:
    """Target words without the end of sentence; sum of log p ÷ number of words, end included."""

    words: list[int]
    score: float


@dataclass(frozen=True)
class SearchResult:
    """A sentence's hypotheses, best first, and what their search cost.

    scored: positions whose score was computed; calls: attention calls; both summed over steps, live
    hypotheses and members of an ensemble.
    """

    hypotheses: list[Hypothesis]
    scored: int
    calls: int


def search_translations(
    members: Sequence[TrainedModel],
    decoding: DecodingConfig,
    sources: Sequence[Sequence[Sequence[int]]],
    *,
    n_best: int = 1,
    lexicon: Int[np.ndarray, "words translations"] | None = None,
    progress: Callable[[int], object] = lambda sentences: None,
) -> list[SearchResult]:
    """Beam search for each source, in the order given; an empty source is translated as empty.

    members: one model, or an ensemble. sources: of each member, as its own vocabulary has them.
    lexicon: likely translations of the first member's source words, for `decoding.shortlist`.
    A result depends on its own source alone, not on the batch it shares. Sources longer than
    `max_source_length` are read up to it. progress: told how many sentences are done.
    """
    results: dict[int, SearchResult] = {}
    clipped = [[source[: decoding.max_source_length] for source in s] for s in sources]
    params = [member.on_devices for member in members]
    vocabulary = params[0]["decoder"]["output"]["bias"].shape[0]
    frequent = min(decoding.shortlist or vocabulary, vocabulary)
    if frequent == vocabulary:
        words = params[0]["encoder"]["embedding"].shape[0]
        lexicon = np.zeros((words, 0), np.int32)  # nobody needs candidates of their own
    elif lexicon is None:
        raise ValueError("decoding.shortlist needs a lexicon")
    for rows, *batch in _batches(clipped, decoding):
        of_first, lengths = batch[0][0], batch[1][0]
        own = candidates(lexicon, of_first, lengths, frequent, vocabulary)
        implementation = decoding.implementation
        if implementation == "auto":
            attentions = [member.config.attention for member in members]
            implementation = for_search(attentions, decoding.threshold, of_first.shape[1])
        search = _compiled_search(
            tuple(member.config for member in members),
            frequent,
            beam_size=min(decoding.beam_size, vocabulary),
            max_length=_limit(of_first.shape[1], decoding),
            n_best=n_best,
            implementation=implementation,
            output_dtype=None if decoding.output_dtype == "model" else decoding.output_dtype,
        )
        numbers = jnp.float32([decoding.threshold, decoding.length_exponent])
        found = jax.device_get(search(params, *batch, own, numbers))
        results |= {row: _result(found, place, n_best) for place, row in enumerate(rows)}
        progress(len(rows))
    empty = SearchResult([Hypothesis([], 0.0)], 0, 0)
    return [results.get(row, empty) for row in range(len(sources[0]))]


def average_window(results: Sequence[SearchResult]) -> float:
    """Score evaluations ÷ attention calls, over all sentences, steps and live hypotheses."""
    return sum(r.scored for r in results) / max(1, sum(r.calls for r in results))


def batch_rows(sentences: int, decoding: DecodingConfig) -> int:
    """Rows of the batches of so many sentences: one of two sizes, since each is compiled.

    A few lines at a prompt need not pay for a batch. Local devices share the rows equally.
    """
    rows = decoding.batch_size if sentences > SMALLEST_BATCH else SMALLEST_BATCH
    devices = jax.local_device_count()
    return -(-min(rows, decoding.batch_size) // devices) * devices


def in_batches(
    order: Iterable[int], shape_of: Callable[[int], Any], rows_of: Callable[[Any], int]
) -> Iterator[tuple[Any, list[int]]]:
    """Neighbours of one shape together, at most so many as a batch of this shape has rows."""
    for shape, alike in itertools.groupby(order, shape_of):
        while batch := list(itertools.islice(alike, rows_of(shape))):
            yield shape, batch


def pad(
    sentences: Sequence[Sequence[int]], rows: int, length: int
) -> tuple[Int[np.ndarray, "B S"], Int[np.ndarray, " B"]]:
    """Sentences and their lengths, filled up to so many rows."""
    padded, lengths = np.zeros((rows, length), np.int32), np.zeros(rows, np.int32)
    for row, sentence in enumerate(sentences):
        lengths[row] = len(sentence)
        padded[row, : len(sentence)] = sentence
    return padded, lengths


def on_local_devices(function: Callable, divided: Sequence[bool]) -> Callable:
    """The function, compiled: each device goes through its own sentences at its own pace.

    divided: which arguments have a row a sentence. The others are the same on all devices.
    """
    by_sentence, whole = PartitionSpec("sentences"), PartitionSpec()
    return jax.jit(
        jax.shard_map(
            function,
            mesh=_mesh(),
            in_specs=tuple(by_sentence if rows else whole for rows in divided),
            out_specs=by_sentence,
            check_vma=False,
        )
    )


def _mesh() -> Mesh:
    return Mesh(np.asarray(jax.local_devices()), ("sentences",))


def _batches(
    sources: Sequence[Sequence[Sequence[int]]], decoding: DecodingConfig
) -> Iterator[tuple[list[int], list[np.ndarray], list[np.ndarray], Int[np.ndarray, " B"]]]:
    """Which sentences; sources and lengths of each member; limits, 0 where there is no sentence."""
    size = batch_rows(len(sources[0]), decoding)
    longest = [max(map(len, source)) for source in zip(*sources, strict=True)]
    order = sorted((row for row, length in enumerate(longest) if length), key=longest.__getitem__)
    shapes = in_batches(order, lambda row: doubled(SHORTEST_SHAPE, longest[row]), lambda _: size)
    for shape, rows in shapes:
        limits = np.zeros(size, np.int32)
        limits[: len(rows)] = [_limit(longest[row], decoding) for row in rows]
        padded = [pad([s[row] for row in rows], size, shape) for s in sources]
        yield rows, *map(list, zip(*padded, strict=True)), limits


def _limit(source_length: int, decoding: DecodingConfig) -> int:
    return int(decoding.max_length_ratio * source_length) + decoding.max_length_extra


@functools.lru_cache(maxsize=64)
def _compiled_search(
    models: tuple[ModelConfig, ...], frequent: int, **options: Any
) -> Callable[..., Hypotheses]:
    """`beam_search` of these models with these options."""

    def search(params, sources, lengths, limits: Array, own: Array, numbers: Array):
        threshold, length_exponent = numbers
        return beam_search(
            [Member(*member) for member in zip(params, sources, lengths, strict=True)],
            models,
            limits,
            threshold,
            length_exponent=length_exponent,
            shortlist=Shortlist(own, frequent),
            **options,
        )

    return on_local_devices(search, divided=(False, True, True, True, True, False))


def _result(found: Hypotheses, place: int, n_best: int) -> SearchResult:
    hypotheses = [
        Hypothesis([int(word) for word in words[:length] if word != END], float(score))
        for words, length, score in zip(
            found.words[place], found.lengths[place], found.scores[place], strict=True
        )
        if np.isfinite(score)
    ]
    return SearchResult(hypotheses[:n_best], int(found.scored[place]), int(found.calls[place]))
