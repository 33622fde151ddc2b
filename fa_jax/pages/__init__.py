"""Pages that open from disk in any browser, with no network: one file each, of this folder's HTML
with the styles, scripts and values that it includes."""

import base64
import io
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from fontTools import subset

from fa_jax.decoding.forced import SpanTrace
from fa_jax.fonts import packaged_font
from fa_jax.pages.content import span_content
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
    write_page(path, "spans.html", TITLE=title, TRACE=span_content(trace))


def write_page(path: Path, page: str, **values: Any) -> None:
    """Writes `filled` of the page and its values, with the Japanese letters that are in it. Path
    and errors: as of `write_span_page`."""
    text = filled(page, **values)
    write_text(path, text.replace("/*FONT*/", _font(text)))


def filled(page: str, **values: Any) -> str:
    """The text of a page.

    page: a file of this folder; `/*INCLUDE name*/` in it stands for another. values: what stands
    for `/*NAME*/ null` in it, as JSON.
    """
    text = re.sub(r"/\*INCLUDE (\S+)\*/", lambda found: _text(found[1]), _text(page))
    for name, value in values.items():
        # "</script" would end the script that the data stands in, "<!--" would hide its end.
        data = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
        text = text.replace(f"/*{name}*/ null", data)
    return text


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


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
