"""Translates any number of sentences: batches by length, few padded shapes, all local devices."""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec
from jaxtyping import Array, Int

from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding.beam_search import END, SMALLEST_BATCH, Hypotheses, Member, beam_search
from fa_jax.decoding.shortlist import Shortlist, candidates
from fa_jax.model.translator import Params

SHORTEST_SHAPE = 16
"""Sources are padded to this many tokens, or twice, four times … as many."""
WINDOWED_SEARCH_FROM_LENGTH = 128
"""Below it a search was measured to gain nothing, and windowed compiles 16 seconds longer."""


@dataclass(frozen=True)
class Translator:
    """A trained model."""

    params: Params
    config: ModelConfig


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
    members: Sequence[Translator],
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
    params = [member.params for member in members]
    vocabulary = params[0]["decoder"]["output"]["bias"].shape[0]
    frequent = min(decoding.shortlist or vocabulary, vocabulary)
    if frequent == vocabulary:
        words = params[0]["encoder"]["embedding"].shape[0]
        lexicon = np.zeros((words, 0), np.int32)  # nobody needs candidates of their own
    elif lexicon is None:
        raise ValueError("decoding.shortlist needs a lexicon")
    for rows, batch in _batches(clipped, decoding):
        own = candidates(lexicon, batch.sources[0], batch.lengths[0], frequent)
        search = _compiled_search(
            tuple(member.config for member in members),
            frequent,
            min(decoding.beam_size, vocabulary),
            _limit(batch.sources[0].shape[1], decoding),
            n_best,
            _implementation(members, decoding, batch.sources[0].shape[1]),
            None if decoding.output_dtype == "model" else decoding.output_dtype,
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


def padded_length(length: int | np.integer) -> int:
    """The smallest padded shape that holds a source."""
    shape = SHORTEST_SHAPE
    while shape < length:
        shape *= 2
    return shape


class _SourceBatch(NamedTuple):
    """Sources and lengths of each member; rows that are no sentence have limit 0."""

    sources: list[Int[np.ndarray, "B S"]]
    lengths: list[Int[np.ndarray, " B"]]
    limits: Int[np.ndarray, " B"]


def _batches(
    sources: Sequence[Sequence[Sequence[int]]], decoding: DecodingConfig
) -> Iterator[tuple[list[int], _SourceBatch]]:
    devices = jax.local_device_count()
    # A few lines at a prompt need not pay for a batch; more sizes would each be compiled.
    rows = decoding.batch_size if len(sources[0]) > SMALLEST_BATCH else SMALLEST_BATCH
    size = -(-min(rows, decoding.batch_size) // devices) * devices
    longest = np.array([[len(source) for source in of_member] for of_member in sources]).max(0)
    order = sorted(np.flatnonzero(longest).tolist(), key=lambda row: longest[row])
    while order:
        shape = padded_length(longest[order[0]])
        rows = [row for row in order[:size] if longest[row] <= shape]
        order = order[len(rows) :]
        limits = np.zeros(size, np.int32)
        limits[: len(rows)] = [_limit(longest[row], decoding) for row in rows]
        padded = [_pad([s[row] for row in rows], size, shape) for s in sources]
        yield rows, _SourceBatch(*map(list, zip(*padded, strict=True)), limits)


def _pad(
    sources: list[Sequence[int]], size: int, length: int
) -> tuple[Int[np.ndarray, "B S"], Int[np.ndarray, " B"]]:
    """Sources and their lengths, filled up to `size` rows."""
    padded, lengths = np.zeros((size, length), np.int32), np.zeros(size, np.int32)
    for row, source in enumerate(sources):
        lengths[row] = len(source)
        padded[row, : len(source)] = source
    return padded, lengths


def _implementation(
    members: Sequence[Translator], decoding: DecodingConfig, length: int
) -> str | None:
    """None: attention chooses. Where no span narrows, nothing is won."""
    if decoding.implementation != "auto":
        return decoding.implementation
    if length < WINDOWED_SEARCH_FROM_LENGTH:
        return "dense"
    spans = [member.config.attention.parts()[1] for member in members]
    narrow = any(span is not None and span.narrows(decoding.threshold) for span in spans)
    return None if narrow else "dense"


def _limit(source_length: int | np.integer, decoding: DecodingConfig) -> int:
    return int(decoding.max_length_ratio * source_length) + decoding.max_length_extra


@functools.lru_cache(maxsize=64)
def _compiled_search(
    models: tuple[ModelConfig, ...],
    frequent: int,
    beam_size: int,
    max_length: int,
    n_best: int,
    implementation: str | None,
    output_dtype: str | None,
) -> Callable[..., Hypotheses]:
    """The search over all local devices, each going through its own sentences at its own pace."""

    def search(params, sources, lengths, limits: Array, own: Array, numbers: Array):
        threshold, length_exponent = numbers
        return beam_search(
            [Member(*member) for member in zip(params, sources, lengths, strict=True)],
            models,
            limits,
            threshold,
            length_exponent=length_exponent,
            beam_size=beam_size,
            max_length=max_length,
            n_best=n_best,
            implementation=implementation,
            shortlist=Shortlist(own, frequent),
            output_dtype=output_dtype,
        )

    mesh = Mesh(np.asarray(jax.local_devices()), ("sentences",))
    sharded, replicated = PartitionSpec("sentences"), PartitionSpec()
    return jax.jit(
        jax.shard_map(
            search,
            mesh=mesh,
            in_specs=(replicated, sharded, sharded, sharded, sharded, replicated),
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
