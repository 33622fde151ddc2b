"""What attention did while a run wrote its best translation of a line: as values, and drawn."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fa_jax.config import DecodingConfig
from fa_jax.data.vocabulary import END, SPECIAL
from fa_jax.decoding.forced import SpanTrace, trace_translations
from fa_jax.decoding.search import SearchResult
from fa_jax.errors import UserError
from fa_jax.runs.run import Run
from fa_jax.runs.translate import Source, read_sources, search, texts_of


def trace(
    run: Run, line: str, *, threshold: float | None = None, decoding: DecodingConfig | None = None
) -> SpanTrace:
    """The best translation of a line, step by step: windows, weights, focus and strength.

    Args:
      run: a trained run.
      line: text as people write it, one sentence.
      threshold: τ; default: that of `decoding`.
      decoding: how to search; default: the run's own.

    Returns:
      The translation and its T tokens, end of sentence included, over the line's S tokens. Fields
      are described at `SpanTrace` and at `Trace`, which it extends; alternatives are tokens.

    Raises:
      UserError: the line is empty; or as `translate`.

    >>> found = fa_jax.trace(fa_jax.load_run("en-ja"), "I like cats.", threshold=1.2)
    >>> found.windows.shape == (len(found.target_tokens), len(found.source_tokens))
    True
    """
    decoding = decoding or run.config.decoding
    if threshold is not None:
        decoding = replace(decoding, threshold=threshold)
    (found,) = traces(run, [line], decoding)
    return found


def traces(run: Run, lines: Sequence[str], decoding: DecodingConfig) -> list[SpanTrace]:
    """`trace` of each line. They are searched together.

    Raises:
      UserError: a line is empty; or as `translate`.
    """
    sources = read_sources(run, lines)
    if not all(source.ids for source in sources):
        raise UserError("an empty line has no translation to trace")
    return traces_of(run, sources, decoding, search([run], [sources], decoding))


def traces_of(
    run: Run, sources: Sequence[Source], decoding: DecodingConfig, results: Sequence[SearchResult]
) -> list[SpanTrace]:
    """The trace of the best hypothesis of each source, none of which is empty."""
    texts = texts_of(run, sources, decoding, results)
    ids = [source.ids for source in sources]
    words = [result.hypotheses[0].words for result in results]
    token = run.target.vocabulary.tokens
    return [
        SpanTrace(
            **vars(found)
            | {"alternatives": [[(token[w], p) for w, p in step] for step in found.alternatives]},
            translation=text[0],
            source_tokens=run.source.tokens(of_source),
            target_tokens=[*run.target.tokens(of_target), SPECIAL[END]],
            threshold=decoding.threshold,
        )
        for text, of_source, of_target, found in zip(
            texts, ids, words, trace_translations(run.model, decoding, ids, words), strict=True
        )
    ]


def show(
    run: Run,
    sentence: str,
    output: str | Path,
    *,
    threshold: float | None = None,
    decoding: DecodingConfig | None = None,
) -> SpanTrace:
    """Translates a sentence and draws window, weights, focus and strength of each output word.

    Args:
      run: its translator.
      sentence: source text.
      output: a picture (.png, .svg), or a page with details where one points (.html).
      threshold: τ; default: that of `decoding`.
      decoding: how it is translated; default: the run's own.

    Returns:
      What is drawn.

    Raises:
      UserError: the sentence is empty, or no such picture can be drawn.

    >>> run = fa_jax.load_run("en-ja")
    >>> drawn = fa_jax.show(run, "I like cats.", "cats.html", threshold=1.2)  # doctest: +SKIP
    """
    from fa_jax.pages import write_span_page
    from fa_jax.plots import plot_spans

    drawn_by = {".html": write_span_page, ".png": plot_spans, ".svg": plot_spans}
    output = Path(output)
    if output.suffix.lower() not in drawn_by:
        raise UserError(f"{output}: name a file that ends with {', '.join(drawn_by)}")
    found = trace(run, sentence, threshold=threshold, decoding=decoding)
    drawn_by[output.suffix.lower()](found, output, title=found.translation)
    return found
