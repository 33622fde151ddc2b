"""What attention did while a run wrote its best translation of a line: as values, and drawn."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Int

from fa_jax.config import DecodingConfig
from fa_jax.data.vocabulary import END, SPECIAL
from fa_jax.decoding.documents import joined
from fa_jax.decoding.forced import SpanTrace, trace_translations
from fa_jax.decoding.search import SearchResult
from fa_jax.errors import UserError
from fa_jax.runs.run import Run
from fa_jax.runs.translate import Source, know_documents, read_sources, search, texts_of


def trace(
    run: Run, line: str, *, threshold: float | None = None, decoding: DecodingConfig | None = None
) -> SpanTrace:
    """The best translation of a line, step by step: windows, weights, focus and strength.

    Args:
      run: a trained run.
      line: text as people write it, one sentence. A run that was trained on documents takes a
        document, too, with line breaks.
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
    whole = know_documents([run])
    documents = [line.split("\n") if whole else [line] for line in lines]
    documents = [[part for part in of_one if part.strip()] for of_one in documents]
    parts = [part for of_one in documents for part in of_one]
    sources = read_sources(run, parts, None if whole else decoding.max_source_length)
    if not all(documents) or not all(source.ids for source in sources):
        raise UserError("an empty line has no translation to trace")
    ends = np.cumsum([0, *map(len, documents)]) if whole else None
    results = search([run], [sources], decoding, documents=ends)
    return traces_of(run, sources, decoding, results, ends)


def traces_of(
    run: Run,
    sources: Sequence[Source],
    decoding: DecodingConfig,
    results: Sequence[SearchResult],
    documents: Int[np.ndarray, " boundaries"] | None = None,
) -> list[SpanTrace]:
    """The trace of the best hypothesis of each source, none of which is empty.

    documents: as of `search`; the traces are then of documents.
    """
    parts = [found[0] for found in texts_of(run, sources, decoding, results)]
    spans = list(itertools.pairwise(range(len(sources) + 1) if documents is None else documents))
    texts = ["\n".join(parts[a:b]) for a, b in spans]
    ids = [joined([source.ids for source in sources[a:b]]) for a, b in spans]
    words = [joined([result.hypotheses[0].words for result in results[a:b]]) for a, b in spans]
    if documents is not None:
        decoding = replace(decoding, max_source_length=max(map(len, ids)))
    token = run.target.vocabulary.tokens
    return [
        SpanTrace(
            **vars(found)
            | {"alternatives": [[(token[w], p) for w, p in step] for step in found.alternatives]},
            translation=text,
            source_tokens=[run.source.vocabulary.tokens[word] for word in of_source],
            target_tokens=[*(token[word] for word in of_target), SPECIAL[END]],
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
      output: a picture (.png, .svg), or a page that shows details where you point (.html).
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
