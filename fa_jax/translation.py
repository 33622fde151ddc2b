"""Text in, text out: the same translations from a file, from stdin and from Python."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from fa_jax.config import DecodingConfig
from fa_jax.data.vocabulary import SPECIAL, UNKNOWN
from fa_jax.decoding.forced import SpanTrace, trace_translations
from fa_jax.decoding.translate import SearchResult, search_translations
from fa_jax.decoding.unknown_words import read_dictionary, replace_unknown
from fa_jax.errors import UserError
from fa_jax.run import Run, ensemble, lexicon_of


def translate(
    run: Run | Sequence[Run],
    lines: Sequence[str],
    decoding: DecodingConfig | None = None,
    n_best: int = 1,
    *,
    details: bool = False,
) -> list[dict[str, Any]]:
    """Each line's translations, best first; an empty line has an empty one.

    Args:
      run: one, or several of one target vocabulary: an ensemble.
      decoding: default: the (first) run's own.
      details: of each translation also `tokens` and, a token (end of sentence included):
        `log_probs`, `alignment` (weights over the source's tokens), `focus`, `strength`, `window`
        (number of positions scored); of an ensemble, as its first run sees it.

    Returns:
      A dict a line: `translations`, each with `text` and `score` (sum of log p ÷ tokens); with
      details also `source_tokens`.
    """
    runs = ensemble(run)
    decoding = decoding or runs[0].config.decoding
    results = search(runs, lines, decoding, n_best=min(n_best, decoding.beam_size))
    records = []
    for line, result, texts in zip(
        lines, results, texts_of(runs[0], lines, decoding, results), strict=True
    ):
        scores = [hypothesis.score for hypothesis in result.hypotheses]
        translations = [{"text": t, "score": s} for t, s in zip(texts, scores, strict=True)]
        record: dict[str, Any] = {"translations": translations}
        if details:
            source = runs[0].source.encode(line)
            record["source_tokens"] = runs[0].source.tokens(source)
            if source:
                _add_traces(runs[0], decoding, source, result.hypotheses, translations)
        records.append(record)
    return records


def search(
    runs: Sequence[Run],
    lines: Sequence[str],
    decoding: DecodingConfig,
    n_best: int = 1,
    progress: Callable[[int], object] = lambda sentences: None,
) -> list[SearchResult]:
    """Each line's hypotheses, as numbers."""
    sources = [[run.source.encode(line) for line in lines] for run in runs]
    members = [run.translator for run in runs]
    lexicon = None
    if 0 < decoding.shortlist < len(runs[0].target.vocabulary):
        lexicon = lexicon_of(runs[0])[:, : decoding.shortlist_translations]
    return search_translations(
        members, decoding, sources, n_best=n_best, lexicon=lexicon, progress=progress
    )


def texts_of(
    run: Run, lines: Sequence[str], decoding: DecodingConfig, results: Sequence[SearchResult]
) -> list[list[str]]:
    """Each line's translations as people write them; unknown words replaced if so decided."""
    if not decoding.replace_unknown:
        return [[run.target.decode(h.words) for h in result.hypotheses] for result in results]
    if run.config.model.span == "none":
        raise UserError(
            f"unknown words are replaced through the alignment, which the score "
            f"{run.config.model.score!r} of {run.folder} does not have"
        )
    dictionary = read_dictionary(decoding.dictionary) if decoding.dictionary else {}
    texts = []
    for line, result in zip(lines, results, strict=True):
        source, source_tokens = run.source.encode(line), run.source.tokenizer.tokenize(line)
        written = []
        for hypothesis in result.hypotheses:
            tokens = run.target.tokens(hypothesis.words)
            if UNKNOWN in hypothesis.words:
                (trace,) = trace_translations(
                    run.translator, decoding, [source], [hypothesis.words]
                )
                tokens = replace_unknown(
                    tokens, SPECIAL[UNKNOWN], source_tokens, trace.weights, dictionary
                )
            written.append(run.target.tokenizer.detokenize(tokens))
        texts.append(written)
    return texts


def trace(
    run: Run, line: str, *, threshold: float | None = None, decoding: DecodingConfig | None = None
) -> SpanTrace:
    """The best translation of a line, step by step: windows, weights, focus and strength.

    Args:
      threshold: τ; default: that of `decoding`.
      decoding: default: the run's own.

    Raises:
      UserError: the line is empty.
    """
    decoding = decoding or run.config.decoding
    if threshold is not None:
        decoding = replace(decoding, threshold=threshold)
    source = run.source.encode(line)
    if not source:
        raise UserError("an empty line has no translation to trace")
    results = search([run], [line], decoding)
    ((text, *_),) = texts_of(run, [line], decoding, results)
    words = results[0].hypotheses[0].words
    (found,) = trace_translations(run.translator, decoding, [source], [words])
    tokens = run.target.vocabulary.words
    alternatives = [
        [(token, p) for token, (_, p) in zip(tokens(w for w, _ in step), step, strict=True)]
        for step in found.alternatives
    ]
    return SpanTrace(
        **vars(found) | {"alternatives": alternatives},
        translation=text,
        source_tokens=run.source.tokens(source),
        target_tokens=[*run.target.tokens(words), "</s>"],
        threshold=decoding.threshold,
    )


def _add_traces(run: Run, decoding: DecodingConfig, source, hypotheses, translations):
    words = [hypothesis.words for hypothesis in hypotheses]
    traces = trace_translations(run.translator, decoding, [source] * len(words), words)
    for translation, ids, trace in zip(translations, words, traces, strict=True):
        translation |= {
            "tokens": [*run.target.tokens(ids), "</s>"],
            "log_probs": trace.log_probs.tolist(),
            "alignment": trace.weights.tolist(),
            "focus": trace.focus.tolist(),
            "strength": trace.strength.tolist(),
            "window": trace.windows.sum(1).tolist(),
        }
