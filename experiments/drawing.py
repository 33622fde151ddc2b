"""Figures of the report: one size of letters, one way to write them."""

from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from trained import RESULTS

COLOURS = {"tatoeba_en_ja": "#0072b2", "bible_de_en": "#d55e00"}


@contextmanager
def drawn(name: str, width: float, panels: int = 1) -> Iterator:
    """Axes to draw into, an array of them if there are several panels; written to results/NAME.png
    when they are left."""
    with mpl.rc_context({"font.size": 10}):
        figure = Figure(figsize=(width, 4.4), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure.subplots(1, panels)
        figure.savefig(RESULTS / f"{name}.png", dpi=150)
