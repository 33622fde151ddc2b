"""VS Figure 3: BLEU against the average window over thresholds, development and test set."""

import math
from pathlib import Path

from experiments.drawing import drawn
from experiments.measuring.records import CANDIDATES, recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import TITLES, StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, threshold_cell, write_part
from fa_jax.finetuning_settings import WINDOW

CORPORA = ("tatoeba_en_ja", "bible_de_en")
SWEEP = (0.3, 0.5, 0.8, 1.0, 1.2, 1.4, 1.6, 5.0, 8.0, math.inf)
"""Thresholds of VS Figure 3."""
FLEXIBLE = {corpus: StudyRun(corpus, "small-words").longer() for corpus in CORPORA}
TUNED = {corpus: StudyRun(corpus, "small-words").longer(WINDOW) for corpus in CORPORA}
WANTED = [
    *(Scores(run, SWEEP, SWEEP) for run in TUNED.values()),
    *(Scores(run, CANDIDATES) for run in FLEXIBLE.values()),
]
COLOUR = "#d55e00"
LABELLED = (0.3, 0.8, 1.2, 5.0, math.inf)


def part() -> Part:
    """The figure, from records."""
    title, lines = "Figure 3: BLEU against window", ["![figure3](figure3.png)"]
    notes = "A dot is a threshold. All runs learnt equally long."
    return Part("figure3", title, lines, notes, figures={"figure3": _draw})


def _draw(path: Path):
    with drawn(path, 10, 2) as panels:
        for axes, corpus in zip(panels, CORPORA, strict=True):
            _draw_corpus(axes, corpus)
            axes.set_title(f"{TITLES[corpus]}, words")
        legend = axes.get_legend_handles_labels()
        axes.figure.legend(*legend, loc="outside lower center", ncols=3)


def _draw_corpus(axes, corpus: str):
    tuned, flexible = TUNED[corpus], FLEXIBLE[corpus]
    look = {"color": COLOUR, "marker": "o", "ms": 4}
    axes.plot(*_points(tuned, "validation"), "--", **look, label="fine-tuned, development")
    axes.plot(*_points(tuned, "test"), **look, label="fine-tuned, test")
    look = {"color": "0.5", "marker": "o", "ms": 3}
    label = "no windows ordered, development (τ from 0.8)"
    axes.plot(*_points(flexible, "validation", CANDIDATES), ":", **look, label=label)
    for threshold, *point in zip(SWEEP, *_points(tuned, "test"), strict=True):
        if threshold in LABELLED:
            where = {"textcoords": "offset points", "ha": "right", "fontsize": 8}
            axes.annotate(threshold_cell(threshold), point, (-5, 2), **where)
    axes.set_xlabel("average window (words); beside the dots: τ")
    axes.set_ylabel("BLEU")
    axes.margins(0.08)
    axes.grid(alpha=0.3)


def _points(run: StudyRun, split: str, thresholds=SWEEP) -> tuple[list[float], list[float]]:
    """Windows and BLEU."""
    found = [recorded(run, threshold, split) for threshold in thresholds]
    return [scores["window"] for scores in found], [scores["bleu"] for scores in found]


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
