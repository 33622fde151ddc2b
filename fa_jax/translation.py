"""Text in, text out: the same translations from a file, from stdin and from Python."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fa_jax.config import DecodingConfig
from fa_jax.decoding.forced import SpanTrace, trace_translations
from fa_jax.decoding.translate import search_translations
from fa_jax.errors import UserError
from fa_jax.run import Run


def translate(
    run: Run,
    lines: Sequence[str],
    decoding: DecodingConfig | None = None,
    n_best: int = 1,
    *,
    details: bool = False,
) -> list[dict[str, Any]]:
    """Each line's translations, best first; an empty line has an empty one.

    Args:
      decoding: default: the run's own.
      details: of each translation also `tokens` and, a token (end of sentence included):
        `log_probs`, `alignment` (weights over the source's tokens), `focus`, `strength`, `window`
        (number of positions scored).

    Returns:
      A dict a line: `translations`, each with `text` and `score` (sum of log p ÷ tokens); with
      details also `source_tokens`.
    """
    decoding = decoding or run.config.decoding
    sources = [run.source.encode(line) for line in lines]
    results = search_translations(
        run.params, run.config.model, decoding, sources, n_best=min(n_best, decoding.beam_size)
    )
    records = []
    for source, result in zip(sources, results, strict=True):
        translations = [
            {"text": run.target.decode(h.words), "score": h.score} for h in result.hypotheses
        ]
        record: dict[str, Any] = {"translations": translations}
        if details:
            record["source_tokens"] = run.source.tokens(source)
            if source:
                _add_traces(run, decoding, source, result.hypotheses, translations)
        records.append(record)
    return records


def trace(run: Run, line: str, *, threshold: float | None = None) -> SpanTrace:
    """The best translation of a line, step by step: windows, weights, focus and strength.

    Args:
      threshold: τ; default: the run's own.

    Raises:
      UserError: the line is empty.
    """
    decoding = run.config.decoding
    if threshold is not None:
        decoding = replace(decoding, threshold=threshold)
    source = run.source.encode(line)
    if not source:
        raise UserError("an empty line has no translation to trace")
    (result,) = search_translations(run.params, run.config.model, decoding, [source])
    words = result.hypotheses[0].words
    (found,) = trace_translations(run.params, run.config.model, decoding, [source], [words])
    return SpanTrace(
        **vars(found),
        source_tokens=run.source.tokens(source),
        target_tokens=[*run.target.tokens(words), "</s>"],
        threshold=decoding.threshold,
    )


def _add_traces(run: Run, decoding: DecodingConfig, source, hypotheses, translations):
    words = [hypothesis.words for hypothesis in hypotheses]
    sources = [source] * len(words)
    traces = trace_translations(run.params, run.config.model, decoding, sources, words)
    for translation, ids, trace in zip(translations, words, traces, strict=True):
        translation |= {
            "tokens": [*run.target.tokens(ids), "</s>"],
            "log_probs": trace.log_probs.tolist(),
            "alignment": trace.weights.tolist(),
            "focus": trace.focus.tolist(),
            "strength": trace.strength.tolist(),
            "window": trace.windows.sum(1).tolist(),
        }
