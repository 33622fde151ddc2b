"""Pictures of a run: which source tokens each output step looked at, and how training went.

Every `plot_` function writes a PNG or an SVG, by its path's suffix: beside, then renamed. It raises
OSError if the file cannot be written, ValueError if matplotlib does not know the suffix.
VS is Shu and Nakayama (2017).
"""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase

from fa_jax.decoding.forced import SpanTrace
from fa_jax.fonts import packaged_font
from fa_jax.whole_files import write_bytes

BAND, FOCUS, STRENGTH = "#cfe3f5", "#d55e00", "#0072b2"  # told apart by colour-blind readers too
JAPANESE_FONTS = (
    "Noto Sans CJK JP", "Noto Sans JP", "IPAGothic", "TakaoGothic",
    "Hiragino Sans", "Yu Gothic", "MS Gothic", "IPAexGothic",
)  # fmt: skip


def plot_spans(trace: SpanTrace, path: Path, title: str = "") -> None:
    """Writes the vision span of each output step over a sentence (VS Figures 1b and 4).

    Source tokens from left to right, output tokens from top to bottom. A step's window is a band,
    its attention weights are squares in it, its focus p_t a dot; beside it the strength g(t).
    title: a line above the figure's own.
    """
    with written(path, size_of(trace)) as figure:
        draw_spans(figure, trace, title)


def size_of(trace: SpanTrace) -> tuple[float, float]:
    """Width and height in inches."""
    steps, positions = trace.weights.shape
    return 3.6 + 0.42 * positions, 2.2 + 0.3 * steps


def draw_spans(figure: FigureBase, trace: SpanTrace, title: str):
    """What `plot_spans` writes, into a figure or a part of one."""
    steps, positions = trace.weights.shape
    axes, strength = figure.subplots(1, 2, width_ratios=[max(positions, 6), 3], sharey=True)
    windowed = np.flatnonzero(trace.windows.any(1))  # the others scored nothing
    first = trace.windows[windowed].argmax(1)
    after = positions - trace.windows[windowed, ::-1].argmax(1)
    if len(windowed):
        axes.barh(windowed, after - first, 0.86, first - 0.5, color=BAND, label="window")
    step, position = np.nonzero(trace.weights > 0.01)
    sizes = 150 * trace.weights[step, position]
    axes.scatter(position, step, sizes, color="0.25", marker="s", label="attention weight")
    axes.plot(trace.focus, range(steps), "o", color=FOCUS, ms=4, mew=0, label="focus $p_t$")
    axes.set_xlim(-0.6, positions - 0.4)
    axes.set_ylim(steps - 0.4, -0.6)
    label_sentences(axes, trace)
    strength.barh(range(steps), trace.strength, 0.7, color=STRENGTH)
    strength.set_xlim(0, 1)
    strength.set_xlabel("strength $g(t)$")
    strength.tick_params(left=False)
    mean = trace.windows.sum(1).mean()
    heading = f"threshold {trace.threshold:.3g}: {mean:.1f} of {positions} positions scored a step"
    figure.suptitle(f"{title}\n{heading}" if title else heading, parse_math=False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)


def plot_training(rows: Sequence[dict[str, float | int]], path: Path) -> None:
    """Writes loss, g(t), speed and validation score over the steps. rows: of `read_metrics`."""
    names = {name for row in rows for name in row if name.startswith("validation_")}
    panels = {
        "loss_per_token": "loss (nats a token)",
        "strength": "mean strength g(t)",
        "tokens_per_second": "target tokens a second",
        **{name: f"{name.replace('_', ' ')} (greedy)" for name in names},
    }
    with written(path, (9, 5.5)) as figure:
        for axes, (name, label) in zip(figure.subplots(2, 2).flat, panels.items()):
            points = [(row["step"], row[name]) for row in rows if name in row]
            marker = "o-" if name in names else "-"
            axes.plot(*np.reshape(points, (-1, 2)).T, marker, color=STRENGTH)
            axes.set_xlabel("step")
            axes.set_ylabel(label)
            if not name.startswith("validation_ter"):
                axes.set_ylim(bottom=0)
            axes.grid(alpha=0.3)


def label_sentences(axes: Axes, trace: SpanTrace):
    """Source tokens below, output tokens at the left."""
    label_tokens(axes.set_xticks, trace.source_tokens, rotation=60, ha="right")
    label_tokens(axes.set_yticks, trace.target_tokens)
    axes.set_xlabel("source tokens")
    axes.set_ylabel("output tokens, in order")


def label_tokens(set_ticks: Callable, tokens: Sequence[str], **style) -> None:
    """Names the ticks of an axis."""
    # sentencepiece's mark of a word's beginning becomes one that fonts have.
    marked = [token.replace("▁", "·") for token in tokens]
    set_ticks(range(len(tokens)), marked, parse_math=False, **style)


@contextmanager
def written(path: Path, size: tuple[float, float]) -> Iterator[Figure]:
    """A figure of so many inches, in matplotlib's own look; written when it is drawn."""
    with mpl.rc_context({"font.family": _fonts()}):
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        picture = io.BytesIO()
        figure.savefig(picture, format=path.suffix[1:] or "png", dpi=150)
    write_bytes(path, picture.getvalue())


@cache
def _fonts() -> list[str]:
    """matplotlib's own, and one with Japanese letters: the system's, or the package's."""
    font_manager.fontManager.addfont(packaged_font())
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in JAPANESE_FONTS if name in installed)]
