"""What each output word looked at, drawn."""

from pathlib import Path

from fa_jax.config import DecodingConfig
from fa_jax.decoding.forced import SpanTrace
from fa_jax.errors import UserError
from fa_jax.pages import write_span_page
from fa_jax.plots import plot_spans
from fa_jax.runs.run import Run
from fa_jax.runs.trace import trace

DRAWN_BY = {".html": write_span_page, ".png": plot_spans, ".svg": plot_spans}


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
    output = Path(output)
    if output.suffix.lower() not in DRAWN_BY:
        raise UserError(f"{output}: name a file that ends with {', '.join(DRAWN_BY)}")
    found = trace(run, sentence, threshold=threshold, decoding=decoding)
    DRAWN_BY[output.suffix.lower()](found, output, title=found.translation)
    return found
