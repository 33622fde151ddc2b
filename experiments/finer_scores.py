"""Does a fine-grained or recurrent score keep its gain in BLEU under a flexible span?"""

import math
from pathlib import Path

from experiments.drawing import drawn, finish
from experiments.measuring.kept_translations import SAMPLES, p_value
from experiments.measuring.records import recorded, saved
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import UNITS
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import half
from fa_jax.attention import AttentionConfig

THRESHOLD = 1.2
"""VS 5.2's for English–Japanese."""
COLUMNS = (("global", math.inf), ("flexible", math.inf), ("flexible", THRESHOLD))
FINE_GRAINED = {"attention": AttentionConfig("fine_grained", "flexible")}
RECURRENT_GLOBAL = {"attention": AttentionConfig("recurrent", "global")}
SYSTEMS = {
    "concat": {"global": half("small-words-global"), "flexible": half("small-words")},
    "fine-grained": {
        "global": half("small-words-atty2d"),
        "flexible": half("small-words", "fine-grained", FINE_GRAINED),
    },
    "recurrent": {
        "global": half("small-words-recurrent", "global", RECURRENT_GLOBAL),
        "flexible": half("small-words-recurrent"),
    },
}
WANTED = [Scores(spans[span], test=(t,)) for spans in SYSTEMS.values() for span, t in COLUMNS]
COLOURS = ("0.5", "#0072b2", "#d55e00")
HEAD = ("score", "global", "flexible, τ = ∞", f"flexible, τ = {THRESHOLD}", "not scored")


def part() -> Part:
    """The table and the figure, from records."""
    rows, findings = [], []
    for name, spans in SYSTEMS.items():
        scores = [recorded(spans[span], threshold) for span, threshold in COLUMNS]
        cells = [f"{found['bleu']:.2f}" for found in scores]
        if name != "concat":
            gains = [_gain(name, span, threshold) for span, threshold in COLUMNS]
            cells = [f"{bleu} ({gain})" for bleu, gain in zip(cells, gains, strict=True)]
            findings.append(
                f"**English–Japanese, {name} score**: BLEU against the concat score is {gains[0]}, "
                f"with global attention. With flexible attention it is {gains[1]}, and in windows "
                f"{gains[2]}."
            )
        rows.append((name, *cells, f"{saved(scores[-1]):.0%}"))
    picture = "![BLEU against window for each score](finer_scores.png)"
    lines = [*rows_as_table(HEAD, rows), "", *bullets(findings), "", picture]
    notes = (
        f"Words, {UNITS} units, BLEU of the test set. Each cell is one training without "
        "fine-tuning. In brackets is the difference to concat with the same span, and p of a "
        f"paired bootstrap of {SAMPLES:,} samples. p does not know the noise of training. The "
        "*fine-grained* score has a value for each dimension, and reads the word fed back, too. "
        "With the *recurrent* score, positions remember the weights they received."
    )
    title = "Does a finer score keep its gain under a flexible span?"
    return Part("finer_scores", title, lines, notes, findings, {"finer_scores": _draw})


def _draw(path: Path):
    with drawn(path, 7) as axes:
        for (name, spans), colour in zip(SYSTEMS.items(), COLOURS, strict=True):
            found = [recorded(spans[span], threshold) for span, threshold in COLUMNS]
            windows, bleus = ([scores[key] for scores in found] for key in ("window", "bleu"))
            axes.plot(windows[0], bleus[0], "s", color=colour, label=f"{name}, global")
            axes.plot(windows[1:], bleus[1:], "o-", color=colour, label=f"{name}, flexible")
        finish(axes, f"average window (words); dots: τ = ∞, {THRESHOLD}", "BLEU (test set)")


def _gain(name: str, span: str, threshold: float) -> str:
    """Over concat with the same span: `+0.31, p = 0.040`."""
    run, concat = SYSTEMS[name][span], SYSTEMS["concat"][span]
    gain = recorded(run, threshold)["bleu"] - recorded(concat, threshold)["bleu"]
    return f"{gain:+.2f}, p = {p_value((concat, threshold), (run, threshold)):.3f}"


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
