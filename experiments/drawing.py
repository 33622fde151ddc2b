"""Figures of the report: one size of letters, one way to write them."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fa_jax.whole_files import write_bytes

COLOURS = {"tatoeba_en_ja": "#0072b2", "bible_de_en": "#d55e00"}
"""Of the corpora."""


@contextmanager
def drawn(path: Path, width: float, panels: int = 1) -> Iterator:
    """Axes to draw into, an array of them if there are several panels; written to the path when
    they are left. width: in inches."""
    with mpl.rc_context({"font.size": 10}):
        figure = Figure(figsize=(width, 4.4), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure.subplots(1, panels)
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=150)
        write_bytes(path, picture.getvalue())


def finish(axes: Axes, across: str, up: str):
    """Names both axes; a legend without a frame, a pale grid."""
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
