"""Forced decoding: what attention does while a given translation is written.

A translation's alignment, strengths, windows and log probabilities, word by word, from the same
steps that the search took; so the search itself need not carry them along.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from fa_jax.attention import AttentionOutput
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding.beam_search import END
from fa_jax.decoding.search import (
    SHORTEST_SHAPE,
    TrainedModel,
    batch_rows,
    in_batches,
    on_local_devices,
    pad,
)
from fa_jax.decoding.shortlist import doubled
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import Params, cast_for_compute, force_translation, word_log_probs

LARGEST_BATCH = 2**26
"""Numbers that a device may hold of a batch's words: by position and dimension, and by word."""
ALTERNATIVES = 5
"""Most likely words that a trace keeps of each step."""


@dataclass(frozen=True)
class Trace:
    """Each step of a translation: T words (end of sentence included) over S source tokens.

    windows: True where the score was computed. focus: p_t, in source positions from 0.
    strength: g(t), 0 to 1. by_dimension: weights of each dimension of the annotations, where the
    score has them. alternatives: the most likely words of each step and their log p, best first.
    """

    log_probs: Float[np.ndarray, " T"]
    weights: Float[np.ndarray, "T S"]
    windows: Bool[np.ndarray, "T S"]
    focus: Float[np.ndarray, " T"]
    strength: Float[np.ndarray, " T"]
    by_dimension: Float[np.ndarray, "T S D"] | None
    alternatives: Sequence[Sequence[tuple[Any, float]]]


@dataclass(frozen=True)
class SpanTrace(Trace):
    """A trace with its words: what a picture of the vision span needs. translation: as people
    write it."""

    translation: str
    source_tokens: list[str]
    target_tokens: list[str]
    threshold: float


def trace_translations(
    model: TrainedModel,
    decoding: DecodingConfig,
    sources: Sequence[Sequence[int]],
    translations: Sequence[Sequence[int]],
    keep: Callable[[Trace], Any] = lambda trace: trace,
) -> list[Any]:
    """The trace of each translation, at decoding.threshold, in the order given.

    Those of like length are traced together; each is as if it were alone.

    Args:
      translations: words without the end of sentence, one translation for each source.
      keep: what to keep of a trace. Those of a batch are made when it is done, and weights by
        dimension are large.
    """
    force = _compiled_force(model.config)
    sources = [source[: decoding.max_source_length] for source in sources]
    targets = [[*words, END] for words in translations]
    shapes = [
        tuple(doubled(SHORTEST_SHAPE, len(sentence)) for sentence in pair)
        for pair in zip(sources, targets, strict=True)
    ]
    rows_of = functools.partial(_rows, model, batch_rows(len(shapes), decoding))
    order = sorted(range(len(shapes)), key=shapes.__getitem__)
    kept = {}
    for shape, batch in in_batches(order, shapes.__getitem__, rows_of):
        source, lengths = pad([sources[row] for row in batch], rows_of(shape), shape[0])
        target, _ = pad([targets[row] for row in batch], rows_of(shape), shape[1])
        threshold = jnp.float32(decoding.threshold)
        found = jax.device_get(force(model.on_devices, source, lengths, target, threshold))
        for place, row in enumerate(batch):
            kept[row] = keep(_trace(found, place, len(targets[row]), len(sources[row])))
    return [kept[row] for row in range(len(shapes))]


def _rows(model: TrainedModel, most: int, shape: tuple[int, int]) -> int:
    """Rows of a batch of this padded shape."""
    vocabulary = model.params["decoder"]["output"]["bias"].shape[0]
    numbers = shape[1] * (shape[0] * 2 * model.config.encoder_size + vocabulary)
    return min(most, jax.local_device_count() * max(1, LARGEST_BATCH // numbers))


def _trace(found: tuple, place: int, steps: int, positions: int) -> Trace:
    """Of one row, without its padding."""
    of_steps, of_positions, likely = jax.tree.map(lambda leaf: leaf[place, :steps], found)
    of_positions = jax.tree.map(lambda leaf: leaf[:, :positions], of_positions)
    likely = zip(*(leaf.tolist() for leaf in likely), strict=True)
    alternatives = [list(zip(*step, strict=True)) for step in likely]
    return Trace(**of_steps, **of_positions, alternatives=alternatives)


@functools.lru_cache(maxsize=8)
def _compiled_force(model: ModelConfig) -> Callable[..., tuple]:
    def force(params: Params, source: Array, lengths: Array, target: Array, threshold: Array):
        params = cast_for_compute(params, model)
        steps = force_translation(
            params, model, source, lengths, target, threshold=threshold, collect=_shown
        )
        of_steps, of_positions = jax.tree.map(lambda leaf: leaf.swapaxes(0, 1), steps.attention)
        logits = decoder.logits(params["decoder"], steps.bottleneck).swapaxes(0, 1)
        words = min(ALTERNATIVES, logits.shape[-1])
        best, likely = jax.lax.top_k(jax.nn.log_softmax(logits.astype(jnp.float32)), words)
        log_probs = word_log_probs(params, steps, target)
        return of_steps | {"log_probs": log_probs}, of_positions, (likely, best)

    return on_local_devices(force, divided=(False, True, True, True, False))


def _shown(attended: AttentionOutput) -> tuple[dict[str, Array], dict[str, Array | None]]:
    """What a trace keeps of each step, and of its positions."""
    return {"focus": attended.state.focus, "strength": attended.strength}, {
        "weights": attended.weights,
        "windows": attended.scored,
        "by_dimension": attended.by_dimension,
    }
