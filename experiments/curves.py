"""What do windows cost at each width, and do they open where attention jumps?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import numpy as np

from experiments.drawing import drawn
from experiments.figure3 import SWEEP
from experiments.measuring.observations import Observations
from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part

SHARES = (0.25, 0.4, 0.6)
"""Of the source; BLEU at them lies between that of two thresholds."""
FAR = 6
"""Positions that attention jumps by, at least, from one step to the next."""
LARGEST_LOSS = 0.8
"""BLEU at 40% of the source, against the same training without windows."""


@dataclass(frozen=True)
class Text:
    """Trainings of one text that differ in their seed, each also without windows."""

    title: str
    runs: tuple[StudyRun, ...]

    @property
    def wholes(self) -> tuple[StudyRun, ...]:
        """The same, learnt with all positions scored to the end."""
        return tuple(run.whole for run in self.runs)


def _seeds(run: StudyRun, *seeds: int) -> tuple[StudyRun, ...]:
    return tuple(replace(run, seed=seed) for seed in seeds)


TEXTS = (
    Text("English–Japanese, words", _seeds(StudyRun("tatoeba_en_ja", "small-words"), 0, 1, 2)),
    Text("German–English Bible, words", _seeds(StudyRun("bible_de_en", "small-words"), 0)),
    Text("English–Japanese, subwords", _seeds(StudyRun("tatoeba_en_ja", "small"), 0)),
    Text("English–Japanese, characters", _seeds(StudyRun("tatoeba_en_ja", "small-chars"), 0)),
)
WANTED = [
    *(Scores(run, SWEEP) for text in TEXTS for run in (*text.runs, *text.wholes)),
    *(Observations(run) for text in TEXTS for run in text.runs),
]
HEAD = ("text", "trainings", "", "all scored", *(f"{share:.0%} of the source" for share in SHARES))


def curve(run: StudyRun) -> list[tuple[float, float]]:
    """The share of the source that is scored and BLEU, of each threshold of `SWEEP`, widest
    first; on the development set."""
    found = [recorded(run, threshold, "validation") for threshold in SWEEP]
    points = [(of["window"] / of["source_length"], of["bleu"]) for of in found]
    return sorted(points, reverse=True)


def bleu_at(run: StudyRun, share: float) -> float:
    """Between two thresholds in a straight line; NaN beyond the narrowest."""
    shares, bleus = np.array(curve(run))[::-1].T
    return float(np.interp(share, shares, bleus, left=math.nan))


def jumps(run: StudyRun) -> tuple[float, float]:
    """How often a step scores the whole sentence: where attention jumps far, and elsewhere.

    On the test set, at the run's own threshold, in sentences that are long enough to jump in.
    """
    far, near = [], []
    for row in Observations(run).recorded():
        if row["length"] <= FAR:
            continue
        moved = np.abs(np.diff(row["aligned"])) >= FAR
        whole = np.array(row["window"][1:]) == row["length"]
        far += whole[moved].tolist()
        near += whole[~moved].tolist()
    return mean(far), mean(near)


def part() -> Part:
    """The table and the figure, from records."""
    rows = [row for text in TEXTS for row in _rows(text)]
    findings = [finding for text in TEXTS for finding in _findings(text)]
    lines = [
        *(*rows_as_table(HEAD, rows), "", *bullets(findings), ""),
        "![BLEU over the share that is scored](curves.png)",
    ]
    notes = (
        "BLEU of the development set; of Japanese on MeCab's words. The mean of the trainings, "
        "which differ in their seed. *In windows*: `fa-jax train` as it is. *Without*: the same "
        "with `--training.windows-from 1`, so that nothing was learnt in windows. The curves have "
        f"ten thresholds; between two of them BLEU is taken in a straight line. A *jump*: the "
        f"position with the highest weight lies {FAR} or more from the one of the step before."
    )
    title = "What windows cost at each width"
    return Part("curves", title, lines, notes, findings, {"curves": _draw})


def _rows(text: Text) -> list[Sequence[str]]:
    kinds = {"in windows": text.runs, "without": text.wholes}
    return [
        (
            *(text.title, str(len(runs)), kind),
            f"{mean(curve(run)[0][1] for run in runs):.2f}",
            *(_cell([bleu_at(run, share) for run in runs]) for share in SHARES),
        )
        for kind, runs in kinds.items()
    ]


def _cell(bleus: Sequence[float]) -> str:
    return "cannot be had" if any(map(math.isnan, bleus)) else f"{mean(bleus):.2f}"


def _findings(text: Text) -> list[str]:
    less = mean(bleu_at(run, 0.4) - curve(run.whole)[0][1] for run in text.runs)
    far, near = (mean(of) for of in zip(*map(jumps, text.runs), strict=True))
    met = "met" if less >= -LARGEST_LOSS else "missed"
    return [
        f"**{text.title}**: at 40% of the source BLEU is {less:+.2f} against the same training "
        f"without windows (target: at least -{LARGEST_LOSS}; {met}).",
        f"**{text.title}, jumps**: {far:.0%} of the steps where attention jumps score the whole "
        f"sentence, and {near:.0%} of the others (target: five times as many).",
    ]


def _draw(path: Path):
    with drawn(path, 12, len(TEXTS)) as panels:
        for axes, text in zip(panels, TEXTS, strict=True):
            for run in text.wholes:
                axes.plot(*_line(run), "o:", ms=3, color="0.5", label="without")
            for run in text.runs:
                axes.plot(*_line(run), "o-", ms=3, color="#d55e00", label="in windows")
            axes.set_title(text.title, fontsize=9)
            axes.set_xlabel("share of the source that is scored")
            axes.grid(alpha=0.3)
        panels[0].set_ylabel("BLEU (development set)")
        handles, names = axes.get_legend_handles_labels()
        once = dict(zip(names, handles, strict=True))
        axes.figure.legend(once.values(), once, loc="outside lower center", ncols=2)


def _line(run: StudyRun) -> tuple[Sequence[float], Sequence[float]]:
    shares, bleus = zip(*curve(run), strict=True)
    return shares, bleus


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
