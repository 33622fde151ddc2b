"""Translates any number of sentences: batches by length, few padded shapes, all local devices."""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Int

from fa_jax.attention.implementation import Implementation, for_search, why_no_kernel
from fa_jax.compiler import compiler_options
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.data.batches import pad
from fa_jax.data.vocabulary import END
from fa_jax.decoding.beam_search import Hypotheses, beam_search
from fa_jax.decoding.shortlist import Shortlist, candidates, enlarged
from fa_jax.errors import UserError
from fa_jax.kept_programs import KeptProgram
from fa_jax.model.encoder_decoder import Params

SHORTEST_SHAPE = 16
"""Sentences are padded to this many tokens, or twice, four times … as many."""
SHORTEST_IN_WINDOWS, TIMES_IN_WINDOWS = 128, 4
"""In windows padding costs next to nothing: a search in windows has fewer shapes to compile, 128
tokens, 512, 2,048 …"""
SMALLEST_BATCH = 8
"""Sentences that a few lines are searched in."""
QUEUE = 8
"""Batches that wait together: when a sentence is done, the next one takes its place."""
BY_SENTENCE, WHOLE = PartitionSpec("sentences"), PartitionSpec()


@dataclass(frozen=True)
class TrainedModel:
    """A trained model."""

    params: Params
    config: ModelConfig

    @functools.cached_property
    def on_devices(self) -> Params:
        """Its parameters on all local devices, brought there once for all searches and traces."""
        return jax.device_put(self.params, NamedSharding(_mesh(), WHOLE))


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
    clipped = [[source[: decoding.max_source_length] for source in s] for s in sources]
    longest = [max(map(len, source)) for source in zip(*clipped, strict=True)]
    size = batch_rows(len(longest), decoding)
    params = [member.on_devices for member in members]
    vocabulary = params[0]["decoder"]["output"]["bias"].shape[0]
    frequent = min(decoding.shortlist or vocabulary, vocabulary)
    if frequent < vocabulary and lexicon is None:
        raise ValueError("decoding.shortlist needs a lexicon")
    results = [SearchResult([Hypothesis([], 0.0)], 0, 0)] * len(longest)
    shared = [(length,) * len(members) for length in longest]
    queued = size * QUEUE if len(longest) > SMALLEST_BATCH else size
    dealt = _dealt(queued)
    implementation, shape_of = shape_for(members, decoding)
    for rows, sides in padded_batches(clipped, shared, lambda _: queued, shape_of):
        padded, lengths = ([part[dealt] for part in parts] for parts in zip(*sides, strict=True))
        limits = np.zeros(queued, np.int32)
        limits[: len(rows)] = [length_limit(longest[row], decoding) for row in rows]
        own = np.zeros((queued, 0), np.int32)
        if frequent < vocabulary:
            own = candidates(lexicon, padded[0], lengths[0], frequent, vocabulary)
        shape = padded[0].shape[1]
        search = search_program(
            [member.config for member in members],
            replace(decoding, beam_size=min(decoding.beam_size, vocabulary)),
            shape,
            implementation,
            places=size // jax.local_device_count(),
            n_best=n_best,
        )
        numbers = jnp.float32(decoding.threshold), jnp.float32(decoding.length_power)
        shortlist = Shortlist(own, frequent)
        found = search(params, padded, lengths, limits[dealt], shortlist, *numbers)
        found = jax.tree.map(lambda leaf: leaf[np.argsort(dealt)], jax.device_get(found))
        for place, row in enumerate(rows):
            results[row] = _result(found, place, n_best)
        progress(len(rows))
    return results


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


def shape_for(
    members: Sequence[TrainedModel], decoding: DecodingConfig
) -> tuple[Implementation | None, Callable[[int], int]]:
    """How attention is evaluated (None: each step chooses), and how far a length is padded.

    Raises:
      UserError: the kernel, where it cannot be had.
    """
    implementation = decoding.implementation
    if implementation == "kernel":
        for reason in filter(None, (why_no_kernel(m.config.attention) for m in members)):
            raise UserError(f"--decoding.implementation: {reason}")
    if implementation == "auto":
        attentions = [member.config.attention for member in members]
        implementation = for_search(attentions, decoding.threshold)
    return implementation, _shape_in_windows if implementation == "windowed" else _shape


def _shape(length: int) -> int:
    return enlarged(SHORTEST_SHAPE, length)


def _shape_in_windows(length: int) -> int:
    return enlarged(SHORTEST_IN_WINDOWS, length, TIMES_IN_WINDOWS)


def padded_batches(
    sides: Sequence[Sequence[Sequence[int]]],
    lengths: Sequence[tuple[int, ...]],
    rows_of: Callable[[tuple[int, ...]], int],
    shape_of: Callable[[int], int] = _shape,
) -> Iterator[tuple[list[int], list[tuple[Int[np.ndarray, "B S"], Int[np.ndarray, " B"]]]]]:
    """Sentences of like lengths together, in few shapes: their numbers, and each side's `pad`.

    The longest come first: those that are searched last then end together.

    sides: the sentences as each model has them, or source and target. lengths: of each sentence,
    how long its sides are; without any words it is in no batch. rows_of: a batch of a shape.
    shape_of: how far a length is padded.
    """
    shapes = [tuple(map(shape_of, each)) for each in lengths]
    order = sorted(
        range(len(lengths)), key=lambda row: (shapes[row], [-length for length in lengths[row]])
    )
    some = (row for row in order if any(lengths[row]))
    for shape, alike in itertools.groupby(some, shapes.__getitem__):
        while batch := list(itertools.islice(alike, rows_of(shape))):
            yield (
                batch,
                [
                    pad([side[row] for row in batch], rows_of(shape), length)
                    for side, length in zip(sides, shape, strict=True)
                ],
            )


def on_local_devices(
    function: Callable,
    *in_specs: PartitionSpec,
    few: bool = False,
    **options: Any,
) -> KeptProgram:
    """The function, compiled: each device goes through its own sentences at its own pace.

    function: of the package, with these options. in_specs: of each argument, whether it has a row a
    sentence or is the same on all devices. few: sentences, so that it should compile quickly.
    """
    mesh = _mesh()
    program = jax.shard_map(
        functools.partial(function, **options),
        mesh=mesh,
        in_specs=in_specs,
        out_specs=BY_SENTENCE,
        check_vma=False,
    )
    shardings = tuple(NamedSharding(mesh, spec) for spec in in_specs)
    asked = compiler_options(jax.default_backend(), few)
    return KeptProgram(program, shardings, asked, function=function.__qualname__, **options)


def _mesh() -> Mesh:
    return Mesh(np.asarray(jax.local_devices()), ("sentences",))


def _dealt(rows: int) -> Int[np.ndarray, " B"]:
    """Which row goes where: to each device in turn, since the longest sentences come first."""
    return np.arange(rows).reshape(-1, jax.local_device_count()).T.reshape(-1)


def length_limit(source_length: int, decoding: DecodingConfig) -> int:
    """Most words of a translation."""
    return int(decoding.max_length_ratio * source_length) + decoding.max_length_extra


def search_program(
    configs: Sequence[ModelConfig],
    decoding: DecodingConfig,
    shape: int,
    implementation: Implementation | None,
    *,
    places: int,
    n_best: int = 1,
) -> KeptProgram:
    """`beam_search` for sentences padded to a shape, to be compiled when it is called.

    configs: of the members. places: of each device.
    """
    return _compiled_search(
        configs=tuple(configs),
        beam_size=decoding.beam_size,
        max_length=length_limit(shape, decoding),
        places=places,
        n_best=n_best,
        implementation=implementation,
        output_dtype=None if decoding.output_dtype == "model" else decoding.output_dtype,
    )


@functools.lru_cache(maxsize=64)
def _compiled_search(**options: Any) -> KeptProgram:
    """`beam_search` with these options."""
    in_specs = WHOLE, *[BY_SENTENCE] * 4, WHOLE, WHOLE
    few = options["places"] * jax.local_device_count() <= SMALLEST_BATCH
    return on_local_devices(beam_search, *in_specs, few=few, **options)


def _result(found: Hypotheses, place: int, n_best: int) -> SearchResult:
    hypotheses = [
        Hypothesis([int(word) for word in words[:length] if word != END], float(score))
        for words, length, score in zip(
            found.words[place], found.lengths[place], found.scores[place], strict=True
        )
        if np.isfinite(score)
    ]
    return SearchResult(hypotheses[:n_best], int(found.scored[place]), int(found.calls[place]))
