"""Luong et al. (2015), Table 1, last row: what are several trainings worth together?"""

from dataclasses import replace
from statistics import mean

from experiments.luong_table import REPLACED_RUN
from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import TITLES
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import CORPUS, scored_how, signed

MEMBERS = 4
"""The paper's ensemble has 8."""
ENSEMBLE = replace(REPLACED_RUN, ensemble=MEMBERS)
WANTED = [Scores(run) for run in (*ENSEMBLE.members, ENSEMBLE)]
HEAD = ("system", "BLEU", "RIBES")


def part() -> Part:
    """The table, from records."""
    names = [*(f"seed {run.seed}" for run in ENSEMBLE.members), "together"]
    scores = [recorded(run) for run in (*ENSEMBLE.members, ENSEMBLE)]
    rows = [
        (name, f"{of['bleu']:.2f}", f"{of['ribes']:.3f}")
        for name, of in zip(names, scores, strict=True)
    ]
    *alone, together = (of["bleu"] for of in scores)
    findings = [
        f"**Luong et al., ensemble**: {MEMBERS} trainings together have {together:.2f} BLEU, "
        f"{signed(together - mean(alone))} against the mean of the {MEMBERS} alone "
        f"(the paper's 8 together +2.1 against one). Alone they have {min(alone):.2f} to "
        f"{max(alone):.2f} BLEU: so much is the noise of training."
    ]
    lines = [*rows_as_table(HEAD, rows), "", f"{TITLES[CORPUS]}, {scored_how(ENSEMBLE)}", "",
             *bullets(findings)]  # fmt: skip
    notes = (
        "Words, local-p, general score, input feeding, unknown words replaced: the last system of "
        "Luong et al.'s table, trained with several seeds. Together they write what the mean of "
        "their probabilities finds best."
    )
    return Part("luong_ensemble", "Luong et al.: an ensemble", lines, notes, findings)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
