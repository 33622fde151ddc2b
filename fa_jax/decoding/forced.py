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
from jaxtyping import Array, Bool, Float, Int

from fa_jax.attention import AttentionOutput
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding.beam_search import END
from fa_jax.decoding.translate import Translator, padded_length
from fa_jax.model import decoder
from fa_jax.model.translator import (
    Params,
    cast_for_compute,
    force_translation,
    word_log_probs,
)

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
    translator: Translator,
    decoding: DecodingConfig,
    sources: Sequence[Sequence[int]],
    translations: Sequence[Sequence[int]],
) -> list[Trace]:
    """The trace of each translation (words without the end of sentence), at decoding.threshold."""
    force = _compiled_force(translator.config)
    traces = []
    for source, translation in zip(sources, translations, strict=True):
        source = list(source[: decoding.max_source_length])
        words = [*translation, END]
        trace = jax.device_get(
            force(
                translator.params,
                _padded(source, padded_length(len(source))),
                np.array([len(source)], np.int32),
                _padded(words, padded_length(len(words))),
                jnp.float32(decoding.threshold),
            )
        )
        of_words = {name: array[0, : len(words)] for name, array in trace.items()}
        likely = zip(
            of_words.pop("likely").tolist(), of_words.pop("likely_log_probs").tolist(), strict=True
        )
        of_words["alternatives"] = [list(zip(*step, strict=True)) for step in likely]
        of_source = {
            name: of_words[name][:, : len(source)]
            for name in ("weights", "windows", "by_dimension")
            if name in of_words
        }
        traces.append(Trace(**{"by_dimension": None} | of_words | of_source))
    return traces


@functools.lru_cache(maxsize=8)
def _compiled_force(model: ModelConfig) -> Callable[..., dict[str, Array]]:
    @jax.jit
    def force(params: Params, source: Array, lengths: Array, target: Array, threshold: Array):
        params = cast_for_compute(params, model)
        steps = force_translation(
            params, model, source, lengths, target, threshold=threshold, collect=_shown
        )
        of_words = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), steps.attention)
        logits = decoder.logits(params["decoder"], steps.bottleneck).swapaxes(0, 1)
        words = min(ALTERNATIVES, logits.shape[-1])
        best, likely = jax.lax.top_k(jax.nn.log_softmax(logits.astype(jnp.float32)), words)
        return {
            "log_probs": word_log_probs(params, steps, target),
            "likely": likely,
            "likely_log_probs": best,
            **of_words,
        }

    return force


def _shown(attended: AttentionOutput) -> dict[str, Array]:
    """What a trace keeps of each step."""
    shown = {
        "weights": attended.weights,
        "windows": attended.scored,
        "focus": attended.state.focus,
        "strength": attended.strength,
    }
    if attended.by_dimension is not None:
        shown["by_dimension"] = attended.by_dimension
    return shown


def _padded(words: Sequence[int], length: int) -> Int[np.ndarray, "1 L"]:
    padded = np.zeros((1, length), np.int32)
    padded[0, : len(words)] = words
    return padded
