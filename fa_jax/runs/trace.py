"""What attention did while a run wrote its best translation of a line: as values, and drawn."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fa_jax.config import DecodingConfig
from fa_jax.data.given import checked_lines
from fa_jax.decoding.forced import SpanTrace
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, check_run
from fa_jax.runs.translate import search_texts


def trace(
    run: Run,
    line: str,
    *,
    threshold: float | None = None,
    decoding: DecodingConfig | None = None,
    split: bool = True,
) -> SpanTrace:
    """The best translation of a line, step by step: windows, weights, focus and strength.

    Args:
      run: a trained run.
      line: text as people write it. A run that was trained on documents takes a document, too,
        with line breaks.
      threshold: τ; default: that of `decoding`.
      decoding: how to search; default: the run's own.
      split: as of `translate`. Each sentence of a line then looks at itself alone.

    Returns:
      The translation and its T tokens, end of sentence included, over the line's S tokens. Fields
      are described at `SpanTrace` and at `Trace`, which it extends; alternatives are tokens.

    Raises:
      UserError: the line is empty or no text; or as `translate`.

    >>> found = fa_jax.trace(fa_jax.load_run("en-ja"), "I like cats.", threshold=1.2)
    >>> found.windows.shape == (len(found.target_tokens), len(found.source_tokens))
    True
    """
    check_run(run)
    decoding = decoding or run.config.decoding
    if threshold is not None:
        decoding = replace(decoding, threshold=threshold)
    (found,) = traces(run, [line], decoding, split=split)
    return found


def traces(
    run: Run, lines: Sequence[str], decoding: DecodingConfig, *, split: bool = True
) -> list[SpanTrace]:
    """`trace` of each line. They are searched together. Raises UserError as it does."""
    texts, documents = checked_lines(lines), run.config.data.documents
    found, best = search_texts([run], texts, decoding, split=split, documents=documents)
    spans = found.spans([one[1:] for (one,) in best])
    if None in spans:
        raise UserError("a line without a word has no translation to trace")
    return spans


def show(
    run: Run,
    sentence: str,
    output: str | Path,
    *,
    threshold: float | None = None,
    decoding: DecodingConfig | None = None,
    split: bool = True,
) -> SpanTrace:
    """Translates a sentence and draws window, weights, focus and strength of each output word.

    Args:
      run: its translator.
      sentence: source text.
      output: a picture (.png, .svg), or a page that shows details where you point (.html).
      threshold: τ; default: that of `decoding`.
      decoding: how it is translated; default: the run's own.
      split: as of `translate`.

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
    found = trace(run, sentence, threshold=threshold, decoding=decoding, split=split)
    drawn_by[output.suffix.lower()](found, output, title=found.translation)
    return found
