"""Draws one step of flexible attention, as the run that comes with fa_jax takes it.

`python -m docs.one_step` writes `pages/assets/near.svg` and `far.svg`: two steps of one sentence.
The first finds its word beside the focus and scores a few words. The second finds it far away and
scores all.
"""

import io
from pathlib import Path

import jax.numpy as jnp
import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import fa_jax
from fa_jax.attention.spans.flexible import penalty
from fa_jax.decoding.forced import SpanTrace
from fa_jax.plots import BAND, FOCUS, STRENGTH, packaged_font
from fa_jax.whole_files import write_bytes

ASSETS = Path(__file__).parent / "pages" / "assets"
SENTENCE = "The book on the desk is mine."
MEANINGS = {
    "机": "desk",
    "の": "of",
    "上": "top",
    "本": "book",
    "は": "(topic)",
    "私": "mine",
    "です": "is",
    "。": ".",
}
"""Of the tokens that it writes, in English."""
STEPS = {"near": 5, "far": 7}
"""Which steps are drawn, from 0: "book" and "mine"."""
THRESHOLD, SIGMA = 1.2, 1.5
INK, GREY, PALE = "#222222", "#8a8a8a", "#eeeeee"
HIGHEST = 3.6
"""Penalty at which the curve leaves the picture."""


def main():
    run = fa_jax.load_run("en-ja")
    assert run.config.model.attention.span.sigma == SIGMA
    trace = fa_jax.trace(run, SENTENCE, threshold=THRESHOLD)
    assert {*written(trace, -1)} == MEANINGS.keys()
    ASSETS.mkdir(exist_ok=True)
    for name, step in STEPS.items():
        write_bytes(ASSETS / f"{name}.svg", drawn(trace, step))


def shown(token: str) -> str:
    """A token without sentencepiece's mark of a word's beginning."""
    return token.removeprefix("▁")


def written(trace: SpanTrace, step: int) -> list[str]:
    """The words of the steps before; a token that is a space alone is none."""
    return [word for token in trace.target_tokens[:step] if (word := shown(token))]


def drawn(trace: SpanTrace, step: int) -> bytes:
    """One step as an SVG that needs no font: letters are outlines."""
    font_manager.fontManager.addfont(packaged_font())
    look = {
        "font.family": ["DejaVu Sans", "IPAexGothic"],
        "font.size": 13,
        "text.color": INK,
        "svg.hashsalt": "one step",
    }
    with mpl.rc_context(look):
        figure = Figure(figsize=(7.2, 7.2), facecolor="white")
        parts = figure.subplots(
            4, 1, height_ratios=[0.85, 2.1, 0.75, 1.5], gridspec_kw={"hspace": 0.42}
        )
        figure.subplots_adjust(left=0.03, right=0.97, top=0.94, bottom=0.02)
        for part in parts:
            part.set_axis_off()
            part.set_xlim(-0.62, len(trace.source_tokens) - 0.38)
        draw_translation(parts[0], trace, step)
        draw_penalty(parts[1], trace, step)
        draw_words(parts[2], trace, step)
        draw_weights(parts[3], trace, step)
        picture = io.BytesIO()
        figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()


def headline(part: Axes, number: str, text: str):
    """What a part shows: its number and a sentence."""
    part.set_title(f"{number}    {text}", loc="left", fontsize=14.5, pad=10)


def draw_translation(part: Axes, trace: SpanTrace, step: int):
    """The words that are written, the step's own marked, the later ones not there yet."""
    headline(part, "1", "Some words are written. Which comes next?")
    part.set_ylim(0, 1)
    words, look = written(trace, step), {"ha": "center", "va": "center"}
    for place, word in enumerate(words):
        part.text(place, 0.62, word, fontsize=17, color=INK, **look)
        part.text(place, 0.1, MEANINGS[word], color=GREY, **look)
    part.text(len(words), 0.62, "?", fontsize=17, color=FOCUS, **look)


def draw_penalty(part: Axes, trace: SpanTrace, step: int):
    """The penalty over the sentence, the threshold, and what lies below it."""
    strength, focus = trace.strength[step], trace.focus[step - 1]
    headline(part, "2", f"Distance from the last focus costs; strength {strength:.2f}")
    places = np.linspace(-0.6, len(trace.source_tokens) - 0.4, 400)
    part.set_ylim(-0.35, HIGHEST)
    cost = of_distance(strength, focus, places)
    part.fill_between(places, 0, np.minimum(cost, THRESHOLD), cost < THRESHOLD, color=BAND, lw=0)
    part.plot(places, cost, color=STRENGTH, lw=2.4, clip_on=True)
    part.axhline(0, color=GREY, lw=0.8)
    part.axhline(THRESHOLD, color=INK, lw=1.3, ls=(0, (4, 3)))
    part.text(
        len(trace.source_tokens) - 0.4, THRESHOLD + 0.1, f"threshold τ = {THRESHOLD:g}",
        ha="right", va="bottom",
    )  # fmt: skip
    positions = np.arange(len(trace.source_tokens))
    of_words = of_distance(strength, focus, positions)
    for position, height, inside in zip(positions, of_words, trace.windows[step], strict=True):
        if height < HIGHEST:
            part.plot(position, height, "o", ms=7, color=STRENGTH, mfc=STRENGTH if inside else "w")
    part.plot(focus, 0, "o", ms=12, color=FOCUS, mew=0, clip_on=False, zorder=3)
    part.annotate(
        "last focus", (focus, 0), (focus, 0.62 if strength < 0.5 else 1.75), color=FOCUS,
        ha="center", arrowprops={"arrowstyle": "-", "color": FOCUS, "lw": 1}, zorder=3,
    )  # fmt: skip


def of_distance(strength: float, focus: float, positions: np.ndarray) -> np.ndarray:
    """The penalty of each position, as fa_jax computes it."""
    one = jnp.full((1, 1), strength), jnp.full((1, 1), focus)
    return np.asarray(penalty(*one, jnp.asarray(positions, jnp.float32)[None, None], SIGMA))[0, 0]


def draw_words(part: Axes, trace: SpanTrace, step: int):
    """The source: words in the window are boxes of its colour, the others are pale."""
    window = trace.windows[step]
    if window.all():
        text = f"All {len(window)} words stay below τ: all are scored"
    else:
        text = f"{window.sum()} of {len(window)} words stay below τ: the window"
    headline(part, "3", text)
    part.set_ylim(0, 1)
    for position, token in enumerate(trace.source_tokens):
        inside = window[position]
        part.text(
            position, 0.5, shown(token), ha="center", va="center", color=INK if inside else GREY,
            bbox={"boxstyle": "round,pad=0.38", "fc": BAND if inside else PALE, "ec": "none"},
        )  # fmt: skip


def draw_weights(part: Axes, trace: SpanTrace, step: int):
    """The weights of the window, the word that is written, and the next focus."""
    word = shown(trace.target_tokens[step])
    headline(part, "4", f"Scored words get weights. It writes {word} ({MEANINGS[word]})")
    part.set_ylim(-0.42, 1)
    part.axhline(0, color=GREY, lw=0.8)
    for position, weight in enumerate(trace.weights[step]):
        if trace.windows[step, position]:
            part.bar(position, weight, 0.62, color=INK)
            part.text(position, weight + 0.04, f"{weight:.0%}", ha="center", va="bottom")
        else:
            part.text(position, 0.06, "not\nscored", ha="center", va="bottom", color=GREY, size=10)
    focus = trace.focus[step]
    part.plot(focus, 0, "o", ms=12, color=FOCUS, mew=0, clip_on=False, zorder=3)
    part.text(focus, -0.17, "next focus", color=FOCUS, ha="center", va="top")


if __name__ == "__main__":
    main()
