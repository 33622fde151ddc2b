"""Choi et al. (2018), Table 1: the word fed back in the score, a score for each dimension, and
contextualised embeddings."""

from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import TITLES
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import (
    COMPARED,
    CORPUS,
    System,
    compared,
    gains_in_words,
    half,
    scored_how,
)

BASELINE = System("baseline", half("small-words-global"), 20.78)
ATTY = System("AttY", half("small-words-atty"), 21.41, BASELINE)
ATTY2D = System("AttY2D", half("small-words-atty2d"), 22.50, ATTY)
CONTEXT = System("C", half("small-words-context"), 22.13, BASELINE)
CONTEXT_ATTY = System("C + AttY", half("small-words-context-atty"), 23.25, CONTEXT)
CONTEXT_ATTY2D = System("C + AttY2D", half("small-words-context-atty2d"), 23.74, CONTEXT_ATTY)
SYSTEMS = [BASELINE, ATTY, ATTY2D, CONTEXT, CONTEXT_ATTY, CONTEXT_ATTY2D]
WANTED = [Scores(row.run) for row in SYSTEMS]
HEAD = ("system", "BLEU", "RIBES", *COMPARED, "paper: BLEU")


def part() -> Part:
    """The table, from records."""
    findings = [
        "**Choi et al.**: each part adds so much BLEU, and in brackets so much in the paper: "
        f"{', '.join(gains_in_words(SYSTEMS))}."
    ]
    rows = []
    for row in SYSTEMS:
        scores = recorded(row.run)
        measured = (f"{scores['bleu']:.2f}", f"{scores['ribes']:.3f}")
        rows.append((row.name, *measured, *compared(row), f"{row.paper:.2f}"))
    lines = [*rows_as_table(HEAD, rows), "", f"{TITLES[CORPUS]}, {scored_how(BASELINE.run)}", "",
             *bullets(findings)]  # fmt: skip
    notes = (
        "Words, global attention. *AttY*: the score reads the word fed back. *2D*: the score has a "
        "value for each dimension of the annotations. *C*: contextualised embeddings. The paper's "
        "numbers are of English–German, beam 12."
    )
    title = "Choi et al., Table 1: fine-grained attention"
    return Part("choi_table1", title, lines, notes, findings)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
