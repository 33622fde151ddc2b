"""Translates a split with a run and scores it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fa_jax.config import DecodingConfig
from fa_jax.data.tokenizers import Words
from fa_jax.decoding.translate import average_window, search_translations
from fa_jax.evaluation.scores import score_translations
from fa_jax.run import Run


@dataclass(frozen=True)
class Evaluation:
    """scores: what `test.json` holds. translations: one a source, as people write them."""

    scores: dict[str, float | int | str]
    translations: list[str]


def evaluate(
    run: Run,
    pairs: Sequence[tuple[str, str]],
    decoding: DecodingConfig,
    progress: Callable[[int], object] = lambda sentences: None,
) -> Evaluation:
    """Beam search over the pairs' sources, scored against their targets.

    Of the scores, `window` is score evaluations ÷ attention calls, in source tokens, and
    `source_length` what the same calls would have scored at τ = ∞: each sentence's own length,
    averaged over calls, so that the two compare. `mean_source_tokens` is the mean over sentences;
    `seconds` the time of translating, compilation included.
    """
    sources, references = zip(*pairs, strict=True)
    encoded = [run.source.encode(text) for text in sources]
    began = time.perf_counter()
    results = search_translations(
        run.params, run.config.model, decoding, encoded, progress=progress
    )
    seconds = time.perf_counter() - began
    translations = [run.target.decode(result.hypotheses[0].words) for result in results]
    lengths = np.array([len(source) for source in encoded])
    calls = np.array([result.calls for result in results])
    words = Words(run.target.language)
    return Evaluation(
        scores={
            **score_translations(translations, references, run.target.language, words.tokenize),
            "window": average_window(results),
            "source_length": float((lengths * calls).sum() / max(1, calls.sum())),
            "mean_source_tokens": float(lengths.mean()),
            "sentences": len(sources),
            "threshold": decoding.threshold,
            "beam_size": decoding.beam_size,
            "step": run.step,
            "seconds": seconds,
        },
        translations=translations,
    )
