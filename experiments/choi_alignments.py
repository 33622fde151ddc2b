"""Choi et al. (2018), Figures 2 to 4: what each system looks at, and each dimension of AttY2D."""

import math
from functools import partial
from pathlib import Path

from experiments.choi_table1 import rows_of
from experiments.measuring.traces import Traces
from experiments.measuring.wanted import train_and_measure
from experiments.pictures import plot_alignment, plot_dimensions
from experiments.tables.part import Part, write_part
from experiments.tables.system_rows import CORPUS, System
from fa_jax.decoding.forced import SpanTrace

DIMENSIONS = 50
"""The first ones, as in the paper's Figure 3."""
SHARPEST = 3
"""Of these, so many have a picture of their own, as in the paper's Figure 4."""

BASELINE, ATTY, ATTY2D, *_ = rows_of(CORPUS)


def _traces(name: str, system: System, dimensions: int = 0) -> Traces:
    """Of one sentence, the same for every system."""
    return Traces(name, system.run, range(12, 15), 1, math.inf, dimensions)


BY_DIMENSION = _traces("choi_atty2d", ATTY2D, DIMENSIONS)
WANTED = [_traces("choi_baseline", BASELINE), _traces("choi_atty", ATTY), BY_DIMENSION]


def part() -> Part:
    """The figures, from recorded traces."""
    figures = {traces.name: partial(_draw, traces) for traces in WANTED}
    captions = ["Baseline", "AttY", "AttY2D, mean over all dimensions"]
    figures["choi_dimensions"] = lambda path: plot_dimensions(_one(BY_DIMENSION), path, DIMENSIONS)
    captions.append(f"AttY2D, each of the first {DIMENSIONS} dimensions, mean over the words")
    for rank, dimension in enumerate(_sharpest(_one(BY_DIMENSION)), start=1):
        figures[f"choi_dimension_{rank}"] = partial(_draw, BY_DIMENSION, dimension=dimension)
        captions.append(f"AttY2D, dimension {dimension}")
    shown = zip(captions, figures, strict=True)
    lines = [line for caption, name in shown for line in (f"![{caption}]({name}.png)", "")][:-1]
    notes = (
        "One sentence of the development set, translated by three systems of Choi et al.'s table. "
        "From top to bottom: baseline; AttY; AttY2D, of which the mean over all dimensions is "
        f"drawn; AttY2D's first {DIMENSIONS} dimensions, each as the mean over the words written; "
        f"and the {SHARPEST} of them that look at the fewest words at once."
    )
    title = "Choi et al., Figures 2 to 4: alignments by dimension"
    return Part("choi_alignments", title, lines, notes, figures=figures)


def _one(traces: Traces) -> SpanTrace:
    (found,) = traces.recorded()
    return found


def _draw(traces: Traces, path: Path, dimension: int | None = None):
    plot_alignment(_one(traces), path, dimension)


def _sharpest(found: SpanTrace) -> list[int]:
    """Dimensions by the largest weight of a step, on average."""
    order = found.by_dimension.max(1).mean(0).argsort()
    return order[::-1][:SHARPEST].tolist()


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
