"""VS Figure 3: BLEU against the average window over thresholds, development and test set."""

import math
from pathlib import Path

from experiments.drawing import drawn
from experiments.measuring.records import candidates, recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import TITLES, StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, threshold_cell, write_part

CORPORA = ("tatoeba_en_ja", "bible_de_en")
SWEEP = (0.3, 0.5, 0.8, 1.0, 1.2, 1.4, 1.6, 5.0, 8.0, math.inf)
"""Thresholds of VS Figure 3."""
IN_WINDOWS = {corpus: StudyRun(corpus, "small-words") for corpus in CORPORA}
WHOLE = {corpus: run.whole for corpus, run in IN_WINDOWS.items()}
WANTED = [
    *(Scores(run, SWEEP, SWEEP) for run in IN_WINDOWS.values()),
    *(Scores(run, candidates(run)) for run in WHOLE.values()),
]
COLOUR = "#d55e00"
LABELLED = (0.3, 0.8, 1.2, 5.0, math.inf)


def part() -> Part:
    """The figure, from records."""
    title, lines = "Figure 3: BLEU against window", ["![figure3](figure3.png)"]
    notes = (
        "A dot is a threshold. Both runs of a corpus learnt equally long: one the second half in "
        "windows, the other all of it with all positions scored."
    )
    return Part("figure3", title, lines, notes, figures={"figure3": _draw})


def _draw(path: Path):
    with drawn(path, 10, 2) as panels:
        for axes, corpus in zip(panels, CORPORA, strict=True):
            _draw_corpus(axes, corpus)
            axes.set_title(f"{TITLES[corpus]}, words")
        legend = axes.get_legend_handles_labels()
        axes.figure.legend(*legend, loc="outside lower center", ncols=3)


def _draw_corpus(axes, corpus: str):
    narrow, whole = IN_WINDOWS[corpus], WHOLE[corpus]
    look = {"color": COLOUR, "marker": "o", "ms": 4}
    axes.plot(*_points(narrow, "validation"), "--", **look, label="in windows, development")
    axes.plot(*_points(narrow, "test"), **look, label="in windows, test")
    look = {"color": "0.5", "marker": "o", "ms": 3}
    label = "all positions, development (τ from 0.8)"
    axes.plot(*_points(whole, "validation", candidates(whole)), ":", **look, label=label)
    for threshold, *point in zip(SWEEP, *_points(narrow, "test"), strict=True):
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
