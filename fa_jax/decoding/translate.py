"""Translates any number of sentences: batches by length, few padded shapes, all local devices."""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec
from jaxtyping import Array, Int

from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding.beam_search import END, Hypotheses, beam_search
from fa_jax.model.translator import Params

SHORTEST_SHAPE = 16
"""Sources are padded to this many tokens, or twice, four times … as many."""


@dataclass(frozen=True)
class Hypothesis:
    """Target words without the end of sentence; sum of log p ÷ number of words, end included."""

    words: list[int]
    score: float


@dataclass(frozen=True)
class SearchResult:
    """A sentence's hypotheses, best first, and what their search cost.

    scored: positions whose score was computed; calls: attention calls; both summed over steps and
    live hypotheses.
    """

    hypotheses: list[Hypothesis]
    scored: int
    calls: int


def search_translations(
    params: Params,
    model: ModelConfig,
    decoding: DecodingConfig,
    sources: Sequence[Sequence[int]],
    *,
    n_best: int = 1,
    progress: Callable[[int], object] = lambda sentences: None,
) -> list[SearchResult]:
    """Beam search for each source, in the order given; an empty source is translated as empty.

    A result depends on its own source alone, not on the batch it shares. Sources longer than
    `max_source_length` are read up to it. progress: told how many sentences are done.
    """
    results: dict[int, SearchResult] = {}
    clipped = [source[: decoding.max_source_length] for source in sources]
    for rows, batch in _batches(clipped, decoding):
        search = _compiled_search(
            model,
            min(decoding.beam_size, params["decoder"]["output"]["bias"].shape[0]),
            _limit(batch.source.shape[1], decoding),
            n_best,
            decoding.implementation,
        )
        found = jax.device_get(search(params, *batch, jnp.float32(decoding.threshold)))
        results |= {row: _result(found, place, n_best) for place, row in enumerate(rows)}
        progress(len(rows))
    empty = SearchResult([Hypothesis([], 0.0)], 0, 0)
    return [results.get(row, empty) for row in range(len(sources))]


def average_window(results: Sequence[SearchResult]) -> float:
    """Score evaluations ÷ attention calls, over all sentences, steps and live hypotheses."""
    return sum(r.scored for r in results) / max(1, sum(r.calls for r in results))


def padded_length(length: int) -> int:
    """The smallest padded shape that holds a source."""
    shape = SHORTEST_SHAPE
    while shape < length:
        shape *= 2
    return shape


class _SourceBatch(tuple):
    """source [B, S], lengths [B], limits [B]; rows that are no sentence have limit 0."""

    @property
    def source(self) -> Int[np.ndarray, "B S"]:
        return self[0]


def _batches(
    sources: Sequence[Sequence[int]], decoding: DecodingConfig
) -> Iterator[tuple[list[int], _SourceBatch]]:
    devices = jax.local_device_count()
    size = -(-decoding.batch_size // devices) * devices
    order = sorted((row for row, s in enumerate(sources) if s), key=lambda row: len(sources[row]))
    while order:
        shape = padded_length(len(sources[order[0]]))
        rows = [row for row in order[:size] if len(sources[row]) <= shape]
        order = order[len(rows) :]
        source = np.zeros((size, shape), np.int32)
        lengths, limits = np.zeros(size, np.int32), np.zeros(size, np.int32)
        for place, row in enumerate(rows):
            lengths[place] = len(sources[row])
            limits[place] = _limit(len(sources[row]), decoding)
            source[place, : lengths[place]] = sources[row]
        yield rows, _SourceBatch((source, lengths, limits))


def _limit(source_length: int, decoding: DecodingConfig) -> int:
    return int(decoding.max_length_ratio * source_length) + decoding.max_length_extra


@functools.lru_cache(maxsize=64)
def _compiled_search(
    model: ModelConfig, beam_size: int, max_length: int, n_best: int, implementation: str | None
) -> Callable[..., Hypotheses]:
    """The search over all local devices, each going through its own sentences at its own pace."""

    def search(params: Params, source: Array, lengths: Array, limits: Array, threshold: Array):
        return beam_search(
            params,
            model,
            source,
            lengths,
            limits,
            threshold,
            beam_size=beam_size,
            max_length=max_length,
            n_best=n_best,
            implementation=implementation,
        )

    mesh = Mesh(np.asarray(jax.local_devices()), ("sentences",))
    sharded, replicated = PartitionSpec("sentences"), PartitionSpec()
    return jax.jit(
        jax.shard_map(
            search,
            mesh=mesh,
            in_specs=(replicated, sharded, sharded, sharded, replicated),
            out_specs=sharded,
            check_vma=False,
        )
    )


def _result(found: Hypotheses, place: int, n_best: int) -> SearchResult:
    hypotheses = [
        Hypothesis(_words(words[:length]), float(score))
        for words, length, score in zip(
            found.words[place], found.lengths[place], found.scores[place], strict=True
        )
        if np.isfinite(score)
    ]
    return SearchResult(hypotheses[:n_best], int(found.scored[place]), int(found.calls[place]))


def _words(words: Int[np.ndarray, " L"]) -> list[int]:
    return [int(word) for word in words if word != END]
