"""Forced decoding: what attention does while a given translation is written.

A translation's alignment, strengths, windows and log probabilities, word by word, from the same
steps that the search took; so the search itself need not carry them along.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree

from fa_jax.attention import AttentionOutput
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.data.vocabulary import END
from fa_jax.decoding.local_devices import (
    SMALLEST_BATCH,
    TrainedModel,
    batch_rows,
    of_each,
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


By = Literal["weight", "focus"]
LOOKED_AT: dict[str, Callable[[AttentionOutput], Int[Array, " B"]]] = {
    "weight": lambda attended: attended.weights.argmax(-1),
    "focus": lambda attended: jnp.rint(attended.state.focus).astype(jnp.int32),
}
"""The source position that a step looks at."""


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

    def kept(found: PyTree, words: int, positions: int) -> Any:
        shown, likely = found
        axes = slice(words), slice(positions)
        shown = jax.tree.map(lambda leaf: leaf[axes[: leaf.ndim]], shown)
        steps = zip(*(leaf[:words].tolist() for leaf in likely), strict=True)
        alternatives = [[*zip(*step, strict=True)] for step in steps]
        return keep(Trace(**shown, alternatives=alternatives))

    return _by_batches(model, decoding, sources, translations, kept)


def looked_at(
    model: TrainedModel,
    decoding: DecodingConfig,
    sources: Sequence[Sequence[int]],
    translations: Sequence[Sequence[int]],
    by: By = "weight",
) -> list[Int[np.ndarray, " T"]]:
    """The source position that each step looks at: of a trace the part that needs no word's
    probability. Arguments are those of `trace_translations`; by: a name of `LOOKED_AT`."""
    return _by_batches(
        model, decoding, sources, translations, lambda found, words, _: found[:words], by
    )


def _by_batches(
    model: TrainedModel,
    decoding: DecodingConfig,
    sources: Sequence[Sequence[int]],
    translations: Sequence[Sequence[int]],
    keep: Callable[[PyTree, int, int], Any],
    by: By | None = None,
) -> list[Any]:
    """What `_forced` finds of each translation. keep: of its row, given how many words and source
    tokens are no padding."""
    targets = [[*words, END] for words in translations]

    def rows_of(shape: int, count: int) -> int:
        numbers = shape * (shape * model.config.annotation_size + model.vocabulary)
        at_most = jax.local_device_count() * max(1, LARGEST_BATCH // numbers)
        return min(batch_rows(count, decoding), at_most)

    threshold, kept = jnp.float32(decoding.threshold), {}
    for rows, padded in padded_batches((sources, targets), rows_of):
        (source, source_lengths), (target, _) = padded
        few = len(source) <= SMALLEST_BATCH
        force = on_local_devices(_forced, 3, 1, few=few, model=model.config, by=by)
        found = force(model.on_devices, source, source_lengths, target, threshold)
        for row, of_row in of_each(rows, found):
            kept[row] = keep(of_row, len(targets[row]), len(sources[row]))
    return [kept[row] for row in range(len(targets))]


def _forced(
    params: Params,
    source: Int[Array, "B S"],
    lengths: Int[Array, " B"],
    target: Int[Array, "B T"],
    threshold: Float[Array, ""],
    *,
    model: ModelConfig,
    by: By | None,
) -> PyTree:
    """The source position that each step looks at [B, T]. by None: what traces show of each step,
    the most likely words [B, T, A] and their log p."""
    params = cast_for_compute(params, model)
    read = read_source(params, model, source, lengths)
    options = {"threshold": threshold, "collect": LOOKED_AT[by] if by else _shown_of}
    bottleneck, found = force_translation(params, model, read, source, target, **options)
    found = jax.tree.map(lambda leaf: leaf.swapaxes(0, 1), found)
    if by:
        return found
    logits = decoder.logits(params["decoder"], bottleneck).swapaxes(0, 1)
    words = min(ALTERNATIVES, logits.shape[-1])
    best, likely = jax.lax.top_k(jax.nn.log_softmax(logits.astype(jnp.float32)), words)
    return found | {"log_probs": word_log_probs(params, bottleneck, target)}, (likely, best)


def _shown_of(attended: AttentionOutput) -> dict[str, Array | None]:
    return {
        "focus": attended.state.focus,
        "strength": attended.strength,
        "weights": attended.weights,
        "windows": attended.scored,
        "by_dimension": attended.by_dimension,
    }
