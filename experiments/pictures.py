"""Pictures of the papers' figures: spans of several sentences, alignments, single dimensions.

They write files as `fa_jax.plots` does. VS is Shu and Nakayama (2017); FG is Choi et al. (2018).
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fa_jax.decoding.forced import SpanTrace
from fa_jax.errors import UserError
from fa_jax.plots import draw_spans, label_sentences, label_tokens, size_of, written


def plot_span_grid(traces: Sequence[SpanTrace], path: Path) -> None:
    """Writes the vision spans of several sentences, two in a row (VS Figure 4)."""
    columns = min(2, len(traces))
    widths = [max(size_of(trace)[0] for trace in traces[column::2]) for column in range(columns)]
    heights = [
        max(size_of(trace)[1] for trace in traces[first : first + 2])
        for first in range(0, len(traces), 2)
    ]
    with written(path, (sum(widths), sum(heights))) as figure:
        grid = figure.subfigures(
            len(heights), columns, squeeze=False, height_ratios=heights, width_ratios=widths
        )
        for part, trace in zip(grid.flat, traces, strict=False):
            draw_spans(part, trace, "")


def plot_alignment(trace: SpanTrace, path: Path, dimension: int | None = None) -> None:
    """Writes the weights of each output token over the source tokens (FG Figures 2 and 4).

    dimension: of a score by dimension, this one alone, from 0; None: the mean over all, which is
    comparable with attention of one weight a position.

    Raises:
      UserError: a dimension is asked for, but the score has one weight a position.
      ValueError: there is no such dimension.
    """
    weights, title = trace.weights, "attention weights"
    if dimension is not None:
        by_dimension = _by_dimension(trace)
        count = by_dimension.shape[2]
        if not 0 <= dimension < count:
            raise ValueError(f"dimension must be 0 to {count - 1}, got {dimension}")
        weights, title = by_dimension[:, :, dimension], f"attention weights, dimension {dimension}"
    steps, positions = weights.shape
    with written(path, (2.4 + 0.34 * positions, 2.0 + 0.3 * steps)) as figure:
        label_sentences(_heat_map(figure, weights, title), trace)


def plot_dimensions(trace: SpanTrace, path: Path, dimensions: int = 50) -> None:
    """Writes which of the first so many dimensions each source token is read for (FG Figure 3).

    Raises:
      UserError: the score has one weight a position.
    """
    weights = _by_dimension(trace).mean(0)[:, :dimensions]
    with written(path, (10, 1.6 + 0.3 * len(weights))) as figure:
        axes = _heat_map(figure, weights, "attention weights, mean over output tokens")
        label_tokens(axes.set_yticks, trace.source_tokens)
        axes.set_xlabel("dimension of the annotation")


def _by_dimension(trace: SpanTrace) -> Float[np.ndarray, "T S D"]:
    if trace.by_dimension is None:
        raise UserError(
            "this run's score has one weight a position; only fine_grained has one a dimension"
        )
    return trace.by_dimension


def _heat_map(figure: Figure, weights: Float[np.ndarray, "rows columns"], title: str) -> Axes:
    axes = figure.subplots()
    axes.imshow(weights, cmap="Greys", vmin=0, vmax=max(weights.max(), 1e-9), aspect="auto")
    figure.suptitle(title)
    return axes
