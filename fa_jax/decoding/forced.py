"""Forced decoding: what attention does while a given translation is written.

A translation's alignment, strengths, windows and log probabilities, word by word, from the same
steps that the search took; so the search itself need not carry them along.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from fa_jax.attention import AttentionOutput
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.data.vocabulary import END
from fa_jax.decoding.local_devices import (
    SMALLEST_BATCH,
    TrainedModel,
    batch_rows,
    on_local_devices,
    padded_batches,
)
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import (
    Params,
    cast_for_compute,
    force_translation,
    read_source,
    word_log_probs,
)

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

    @property
    def confidence(self) -> float:
        """The geometric mean of the words' probabilities, 0 to 1. Of what a trace has, it says best
        how good a translation is."""
        return float(np.exp(self.log_probs.mean()))


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
      translations: words without the end of sentence, one translation for each source. Of a
        document, lines with an end of sentence between them, as its source has them.
      keep: what to keep of a trace. Those of a batch are made when it is done, and weights by
        dimension are large.
    """
    few = len(translations) <= SMALLEST_BATCH
    force = on_local_devices(_force, 3, 1, few=few, model=model.config)
    targets = [[*words, END] for words in translations]
    lengths = [tuple(map(len, pair)) for pair in zip(sources, targets, strict=True)]
    most = batch_rows(len(lengths), decoding)
    vocabulary = model.params["decoder"]["output"]["bias"].shape[0]

    def rows_of(shape: tuple[int, int]) -> int:
        numbers = shape[1] * (shape[0] * model.config.annotation_size + vocabulary)
        return min(most, jax.local_device_count() * max(1, LARGEST_BATCH // numbers))

    threshold, kept = jnp.float32(decoding.threshold), {}
    for batch, padded in padded_batches((sources, targets), lengths, rows_of):
        (source, source_lengths), (target, _) = padded
        found = jax.device_get(force(model.on_devices, source, source_lengths, target, threshold))
        for place, row in enumerate(batch):
            kept[row] = keep(_trace(found, place, len(targets[row]), len(sources[row])))
    return [kept[row] for row in range(len(lengths))]


def _trace(found: tuple, place: int, steps: int, positions: int) -> Trace:
    """Of one row, without its padding."""
    shown, likely = found
    axes = place, slice(steps), slice(positions)
    likely = zip(*(leaf[place, :steps].tolist() for leaf in likely), strict=True)
    alternatives = [list(zip(*step, strict=True)) for step in likely]
    return Trace(
        **jax.tree.map(lambda leaf: leaf[axes[: leaf.ndim]], shown), alternatives=alternatives
    )


def _force(
    params: Params,
    source: Int[Array, "B S"],
    lengths: Int[Array, " B"],
    target: Int[Array, "B T"],
    threshold: Float[Array, ""],
    *,
    model: ModelConfig,
) -> tuple[dict[str, Array | None], tuple[Int[Array, "B T A"], Float[Array, "B T A"]]]:
    """What traces show of each step, the most likely words and their log p; a row a sentence."""
    params = cast_for_compute(params, model)
    read = read_source(params, model, source, lengths)
    bottleneck, attention = force_translation(
        params,
        model,
        read,
        source,
        target,
        threshold=threshold,
        collect=_shown_of,
    )
    shown = jax.tree.map(lambda leaf: leaf.swapaxes(0, 1), attention)
    logits = decoder.logits(params["decoder"], bottleneck).swapaxes(0, 1)
    words = min(ALTERNATIVES, logits.shape[-1])
    best, likely = jax.lax.top_k(jax.nn.log_softmax(logits.astype(jnp.float32)), words)
    return shown | {"log_probs": word_log_probs(params, bottleneck, target)}, (likely, best)


def _shown_of(attended: AttentionOutput) -> dict[str, Array | None]:
    return {
        "focus": attended.state.focus,
        "strength": attended.strength,
        "weights": attended.weights,
        "windows": attended.scored,
        "by_dimension": attended.by_dimension,
    }
