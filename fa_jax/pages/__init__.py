"""Pages that open from disk in any browser, with no network: one file each."""

import base64
import io
from pathlib import Path
from typing import Any

from fontTools import subset

from fa_jax.decoding.forced import SpanTrace
from fa_jax.fonts import packaged_font
from fa_jax.pages.content import span_content
from fa_jax.pages.template import filled
from fa_jax.whole_files import write_text


def write_span_page(trace: SpanTrace, path: Path, title: str = "") -> None:
    """Writes one HTML page: the vision span of each output step, with details where one points.

    Its step: the word, g(t), p_t, the window, the weights in it, and the words it could have been.

    Args:
      trace: a sentence and its translation.
      path: the page, .html; one that is there is replaced when the new one is whole.
      title: its heading.

    Raises:
      OSError: the file cannot be written.
    """
    page = filled("spans.html", TITLE=title, TRACE=span_content(trace))
    write_text(path, page.replace("/*FONT*/", _font(page)))


def write_report_page(content: dict[str, Any], path: Path) -> None:
    """Writes one HTML page about a run: its scores, samples, course and settings.

    Args:
      content: of `fa_jax.runs.report`.
      path: the page; one that is there is replaced when the new one is whole.

    Raises:
      OSError: the file cannot be written.
    """
    page = filled("report.html", REPORT=content)
    write_text(path, page.replace("/*FONT*/", _font(page)))


def _font(text: str) -> str:
    """The Japanese letters of a text, for a reader whose system has none, as base64."""
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True)
    written = io.BytesIO()
    with subset.load_font(packaged_font(), options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(text="".join(letter for letter in text if letter >= "\u2e80"))
        subsetter.subset(font)
        font.save(written)
    return base64.b64encode(written.getvalue()).decode()
