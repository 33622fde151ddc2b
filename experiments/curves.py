"""What do windows cost at each width, and do they open where attention jumps?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean

import numpy as np

from experiments.drawing import drawn
from experiments.figure3 import SWEEP
from experiments.measuring.observations import Observations
from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import Changes, StudyRun
from experiments.measuring.wanted import Wanted, train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part

SHARES = (0.25, 0.4, 0.6)
"""Of the source; BLEU at them lies between that of two thresholds."""
FAR = 6
"""Positions that attention jumps by, at least, from one step to the next."""
LARGEST_LOSS = 0.8
"""BLEU at 40% of the source, against the same training without windows."""
CONSTANT: Changes = {"training": {"beta": 30.0}}
"""The control: where windows are learnt, a reward for g(t) that outweighs the translation, so that
no span stays flexible."""


@dataclass(frozen=True)
class Text:
    """Trainings of one text that differ in their seed, each also without windows."""

    title: str
    runs: tuple[StudyRun, ...]
    has_control: bool = False

    @property
    def controls(self) -> tuple[StudyRun, ...]:
        """The first, learnt with a constant strength."""
        of = self.runs[:1] if self.has_control else ()
        return tuple(replace(run, variant="constant", changes=CONSTANT) for run in of)

    @property
    def wholes(self) -> tuple[StudyRun, ...]:
        """The same, learnt with all positions scored to the end."""
        return tuple(run.whole for run in self.runs)


def _seeds(run: StudyRun, *seeds: int) -> tuple[StudyRun, ...]:
    return tuple(replace(run, seed=seed) for seed in seeds)


SUBWORDS = Text(
    "English–Japanese, subwords", _seeds(StudyRun("tatoeba_en_ja", "small"), 0), has_control=True
)
TEXTS = (
    Text("English–Japanese, words", _seeds(StudyRun("tatoeba_en_ja", "small-words"), 0, 1, 2)),
    Text("German–English Bible, words", _seeds(StudyRun("bible_de_en", "small-words"), 0)),
    SUBWORDS,
    Text("English–Japanese, characters", _seeds(StudyRun("tatoeba_en_ja", "small-chars"), 0)),
)


def wanted(text: Text) -> list[Wanted]:
    """What the table says of a text."""
    each = (*text.runs, *text.wholes, *text.controls)
    return [*(Scores(run, SWEEP) for run in each), *(Observations(run) for run in text.runs)]


WANTED = [one for text in TEXTS for one in wanted(text)]
NEEDED = wanted(SUBWORDS)
"""Other trainings are left out where they are not there."""
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
    texts = [text for text in map(_there, TEXTS) if text.runs]
    rows = [row for text in texts for row in _rows(text)]
    findings = [finding for text in texts for finding in _findings(text)]
    missing = {text.title for text in TEXTS} - {text.title for text in texts}
    not_there = f" Not measured in full yet: {'; '.join(sorted(missing))}." if missing else ""
    lines = [
        *(*rows_as_table(HEAD, rows), "", *bullets(findings), ""),
        "![BLEU over the share that is scored](curves.png)",
    ]
    notes = (
        "BLEU of the development set; of Japanese on MeCab's words. The mean of the trainings, "
        "which differ in their seed. *In windows*: `fa-jax train` as it is. *Without*: the same "
        "with `--training.windows-from 1`, so that nothing was learnt in windows. The curves have "
        f"ten thresholds; between two of them BLEU is taken in a straight line. A *jump*: the "
        f"position with the highest weight lies {FAR} or more from the one of the step before. "
        "*Constant strength*: the control. It learns with `--training.beta 30`: in the second half "
        "of the training the reward for g(t) outweighs the translation, so that strengths go to 1 "
        f"and all steps have windows of about one width.{not_there}"
    )
    title = "What windows cost at each width"
    return Part("curves", title, lines, notes, findings, {"curves": partial(_draw, texts)})


def _there(text: Text) -> Text:
    """With the trainings that are recorded."""
    each = (replace(text, runs=(run,), has_control=False) for run in text.runs)
    there = (one.runs for one in each if all(part.is_recorded() for part in wanted(one)))
    controlled = all(Scores(run, SWEEP).is_recorded() for run in text.controls)
    return replace(text, runs=sum(there, ()), has_control=text.has_control and controlled)


def _rows(text: Text) -> list[Sequence[str]]:
    kinds = {"in windows": text.runs, "without": text.wholes, "constant strength": text.controls}
    return [
        (
            *(text.title, str(len(runs)), kind),
            f"{mean(curve(run)[0][1] for run in runs):.2f}",
            *(_cell([bleu_at(run, share) for run in runs]) for share in SHARES),
        )
        for kind, runs in kinds.items()
        if runs
    ]


def _cell(bleus: Sequence[float]) -> str:
    return "cannot be had" if any(map(math.isnan, bleus)) else f"{mean(bleus):.2f}"


def _findings(text: Text) -> list[str]:
    less = mean(bleu_at(run, 0.4) - curve(run.whole)[0][1] for run in text.runs)
    far, near = (mean(of) for of in zip(*map(jumps, text.runs), strict=True))
    met = "met" if less >= -LARGEST_LOSS else "missed"
    found = [
        f"**{text.title}**: at 40% of the source BLEU is {less:+.2f} against the same training "
        f"without windows (target: at least -{LARGEST_LOSS}; {met}).",
        f"**{text.title}, jumps**: {far:.0%} of the steps where attention jumps score the whole "
        f"sentence, and {near:.0%} of the others (target: five times as many).",
    ]
    for run, control in zip(text.runs, text.controls, strict=False):
        more = bleu_at(run, 0.4) - bleu_at(control, 0.4)
        found.append(
            f"**{text.title}, control**: at 40% of the source flexible strengths have {more:+.2f} "
            "BLEU against a constant one."
        )
    return found


def _draw(texts: Sequence[Text], path: Path):
    with drawn(path, 3 + 3 * len(texts), len(texts)) as panels:
        for axes, text in zip(np.atleast_1d(panels), texts, strict=True):
            for run in text.wholes:
                axes.plot(*_line(run), "o:", ms=3, color="0.5", label="without")
            for run in text.controls:
                axes.plot(*_line(run), "s--", ms=3, color="#0072b2", label="constant strength")
            for run in text.runs:
                axes.plot(*_line(run), "o-", ms=3, color="#d55e00", label="in windows")
            axes.set_title(text.title, fontsize=9)
            axes.set_xlabel("share of the source that is scored")
            axes.grid(alpha=0.3)
        panels = np.atleast_1d(panels)
        panels[0].set_ylabel("BLEU (development set)")
        legends = [panel.get_legend_handles_labels() for panel in panels]
        once = {
            name: line for lines, names in legends for line, name in zip(lines, names, strict=True)
        }
        axes.figure.legend(once.values(), once, loc="outside lower center", ncols=3)


def _line(run: StudyRun) -> tuple[Sequence[float], Sequence[float]]:
    shares, bleus = zip(*curve(run), strict=True)
    return shares, bleus


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
