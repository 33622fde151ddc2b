"""Translates a split with a run and scores it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fa_jax.config import DecodingConfig
from fa_jax.data.tokenizers import Words
from fa_jax.decoding.translate import average_window
from fa_jax.evaluation.scores import score_translations
from fa_jax.run import Run, ensemble
from fa_jax.translation import search, texts_of


@dataclass(frozen=True)
class Evaluation:
    """scores: what `test.json` holds. translations: one a source, as people write them."""

    scores: dict[str, float | int | str]
    translations: list[str]


def evaluate(
    run: Run | Sequence[Run],
    pairs: Sequence[tuple[str, str]],
    decoding: DecodingConfig,
    progress: Callable[[int], object] = lambda sentences: None,
) -> Evaluation:
    """Beam search over the pairs' sources, scored against their targets. Several runs: an ensemble.

    Of the scores, `window` is score evaluations ÷ attention calls, in source tokens, and
    `source_length` what the same calls would have scored at τ = ∞: each sentence's own length,
    averaged over calls, so that the two compare. `mean_source_tokens` is the mean over sentences;
    `seconds` the time of translating, compilation included.
    """
    sources, references = zip(*pairs, strict=True)
    runs = ensemble(run)
    began = time.perf_counter()
    results = search(runs, sources, decoding, progress=progress)
    translations = [texts[0] for texts in texts_of(runs[0], sources, decoding, results)]
    seconds = time.perf_counter() - began
    target = runs[0].target
    # An ensemble's members may count a sentence's tokens differently.
    lengths = np.mean([[len(r.source.encode(text)) for text in sources] for r in runs], axis=0)
    calls = np.array([result.calls for result in results])
    words = Words(target.language)
    return Evaluation(
        scores={
            **score_translations(translations, references, target.language, words.tokenize),
            "window": average_window(results),
            "source_length": float((lengths * calls).sum() / max(1, calls.sum())),
            "mean_source_tokens": float(lengths.mean()),
            "sentences": len(sources),
            "threshold": decoding.threshold,
            "beam_size": decoding.beam_size,
            "step": runs[0].step,
            "runs": len(runs),
            "seconds": seconds,
        },
        translations=translations,
    )
