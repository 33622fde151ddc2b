"""Do the windows cost BLEU beyond the noise of training? Three seeds, German–English, words."""

import math

import numpy as np

from experiments.measuring.kept_translations import written
from experiments.measuring.records import recorded, saved, windowed
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.intervals import against_noise, mean_and_interval
from experiments.tables.part import Part, bullets, rows_as_table, threshold_cell, write_part

SEEDS = (0, 1, 2)
SYSTEMS = {
    name: [StudyRun("bible_de_en", "small-words", seed, finetuned=finetuned) for seed in SEEDS]
    for name, finetuned in {"flexible": False, "fine-tuned": True}.items()
}
WANTED = [Scores(run, own_threshold=True) for runs in SYSTEMS.values() for run in runs]
HEAD = ("", "seed", "BLEU, τ = ∞", "length", "τ", "BLEU", "length", "not scored", "τ − ∞",
        "without the penalty")  # fmt: skip


def part() -> Part:
    """The table, from records."""
    rows, findings = [], []
    for name, runs in SYSTEMS.items():
        differences = []
        for run in runs:
            threshold = windowed(run)
            free, narrow = recorded(run), recorded(run, threshold)
            texts = [written(run, t) for t in (math.inf, threshold)]
            differences.append(
                (narrow["bleu"] - free["bleu"], texts[1].precise_bleu - texts[0].precise_bleu)
            )
            rows.append(
                (name, str(run.seed), f"{free['bleu']:.2f}", f"{texts[0].length:.3f}",
                 threshold_cell(threshold), f"{narrow['bleu']:.2f}", f"{texts[1].length:.3f}",
                 f"{saved(narrow):.0%}", *(f"{value:+.2f}" for value in differences[-1]))
            )  # fmt: skip
        whole, precise = np.array(differences).T
        short = "" if np.allclose(whole, precise) else (
            f" Without BLEU's penalty for short translations it is {mean_and_interval(precise)}. "
            f"That is {against_noise(precise)} the noise."
        )  # fmt: skip
        findings.append(
            f"**Seeds, {name}**: BLEU at τ is {mean_and_interval(whole)} against the same seed at "
            f"τ = ∞. That is {against_noise(whole)} the noise of {len(SEEDS)} trainings.{short}"
        )
    lines = [*rows_as_table(HEAD, rows), "", *bullets(findings)]
    notes = (
        "German–English, words, test set. *Length*: words written ÷ words of the references. BLEU "
        "has a penalty where it is below 1; the last column is the difference without that "
        "penalty. τ is chosen as in Table 1. Intervals are Student's t over the seeds."
    )
    return Part("seeds", "Three seeds", lines, notes, findings)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
