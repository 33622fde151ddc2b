"""What does fine-tuning with each β of VS 5.2 do to g(t), to the windows and to BLEU?"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.drawing import drawn, finish
from experiments.measuring.records import CANDIDATES, record_of, recorded, saved, windowed
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, threshold_cell, write_part
from fa_jax.evaluation.selection import THRESHOLDS
from fa_jax.finetuning_settings import WINDOW

BETAS = (0.0001, 0.001, 0.1)
START = StudyRun("tatoeba_en_ja", "small-words", pairs=5_000)
SYSTEMS = {
    "not fine-tuned": START,
    **{f"β = {beta:g}": replace(START.longer(), beta=beta) for beta in BETAS},
    f"windows of {WINDOW:g} ordered": START.longer(WINDOW),
}
WANTED = [Scores(run, CANDIDATES, own_threshold=True) for run in SYSTEMS.values()]
COLOURS = ("0.5", "#56b4e9", "#009e73", "#0072b2", "#d55e00")
HEAD = ("", "g(t) at the end", "BLEU, τ = ∞", "τ", "BLEU", "window", "not scored")


def part() -> Part:
    """The table and the figure, from records."""
    rows, found = [], []
    for name, run in SYSTEMS.items():
        threshold = windowed(run)
        narrow, strength = recorded(run, threshold), _last_strength(run)
        found.append({"strength": strength, **narrow})
        rows.append(
            (name, f"{strength:.2f}", f"{recorded(run)['bleu']:.2f}", threshold_cell(threshold),
             f"{narrow['bleu']:.2f}", f"{narrow['window']:.2f}", f"{saved(narrow):.0%}")
        )  # fmt: skip
    _, *tuned, in_windows = found
    strength, window, bleu = (
        _range(scores[key] for scores in tuned) for key in ("strength", "window", "bleu")
    )
    findings = [
        f"**β** from {BETAS[0]} to {BETAS[-1]}: g(t) ends at {strength}. At each run's τ windows "
        f"are {window} words, and BLEU is {bleu}. Where windows of {WINDOW:g} are ordered instead, "
        f"they are {in_windows['window']:.2f} words, and BLEU is {in_windows['bleu']:.2f}."
    ]
    picture = "![BLEU against window for each β](betas.png)"
    lines = [*rows_as_table(HEAD, rows), "", *bullets(findings), "", picture]
    notes = (
        f"English–Japanese, {START.pairs:,} pairs, words; BLEU is on MeCab's words. Each β is one "
        "epoch of Eq. 9 with attention to all positions, as in the paper (`fa-jax finetune "
        "--beta`). The last row learnt for longer, a third of a training, in windows. g(t) is the "
        "mean over the last tenth of training. The table is of the test set, with τ chosen as in "
        "Table 1, or by the order. The figure is of the development set."
    )
    title = "What does fine-tuning with each β do?"
    return Part("betas", title, lines, notes, findings, {"betas": _draw})


def _draw(path: Path):
    with drawn(path, 7) as axes:
        for (name, run), colour in zip(SYSTEMS.items(), COLOURS, strict=True):
            scores = [recorded(run, threshold, "validation") for threshold in CANDIDATES]
            points = [[of[key] for of in scores] for key in ("window", "bleu")]
            axes.plot(*points, "o-", ms=4, color=colour, label=name)
        tried = ", ".join(map(str, THRESHOLDS))
        finish(axes, f"average window (words); dots: τ = {tried}, ∞", "BLEU (development set)")


def _last_strength(run: StudyRun) -> float:
    strength = [row["strength"] for row in record_of(run)["training"] if "strength" in row]
    return float(np.mean(strength[-max(1, len(strength) // 10) :]))


def _range(values: Iterable[float]) -> str:
    low, *_, high = sorted(values)
    return f"{low:.2f} to {high:.2f}"


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
