"""Pages that open from disk in any browser, with no network: one file each."""

import base64
import io
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
from fontTools import subset
from numpy.typing import ArrayLike

from fa_jax.decoding.forced import SpanTrace
from fa_jax.plots import packaged_font
from fa_jax.whole_files import write_text

DIGITS = 4
"""Behind the point, of the numbers in a page."""


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
    content = {
        "title": title,
        "threshold": "∞" if np.isinf(trace.threshold) else f"{trace.threshold:g}",
        "source": trace.source_tokens,
        "steps": [
            {
                "token": token,
                "probability": _rounded(np.exp(trace.log_probs[t])),
                "strength": _rounded(trace.strength[t]),
                "focus": _rounded(trace.focus[t]),
                "window": np.flatnonzero(trace.windows[t]).tolist(),
                "weights": _rounded(trace.weights[t]),
                "alternatives": [
                    [word, _rounded(np.exp(log_prob))] for word, log_prob in trace.alternatives[t]
                ],
            }
            for t, token in enumerate(trace.target_tokens)
        ],
    }
    # "</" would end the script that the data stands in.
    data = json.dumps(content, ensure_ascii=False).replace("</", "<\\/")
    template = files(__package__).joinpath("spans.html").read_text(encoding="utf-8")
    page = template.replace("/*FONT*/", _font(data)).replace("/*TRACE*/ null", data)
    write_text(path, page)


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


def _rounded(values: ArrayLike) -> float | list[float]:
    return np.round(np.asarray(values, np.float64), DIGITS).tolist()
