"""Choi et al. (2018), Table 1, with the paper's two beams and on two corpora."""

from dataclasses import replace

from experiments.choi_table1 import SYSTEMS
from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import TITLES, StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import (
    COMPARED,
    System,
    compared,
    gains_in_words,
    scored_how,
)

CORPORA = ("tatoeba_en_ja", "tatoeba_de_en")
NARROW, WIDE = 1, 12
"""Beams."""
PAPER_NARROW = (17.57, 19.15, 20.49, 19.13, 20.96, 22.37)
"""The systems' BLEU with the narrow beam."""


def systems(corpus: str) -> list[System]:
    """The rows of a corpus, with the wide beam."""
    rows: dict[str, System] = {}
    for row in SYSTEMS:
        against = rows[row.against.name] if row.against else None
        rows[row.name] = replace(row, run=_run(row, corpus, WIDE), against=against)
    return list(rows.values())


def _run(row: System, corpus: str, beam: int) -> StudyRun:
    return replace(row.run, corpus=corpus, beam_size=beam)


WANTED = [
    Scores(_run(row, corpus, beam))
    for corpus in CORPORA
    for row in SYSTEMS
    for beam in (NARROW, WIDE)
]
HEAD = ("system", f"BLEU, beam {NARROW}", f"beam {WIDE}", *COMPARED,
        f"paper: beam {NARROW}", f"beam {WIDE}")  # fmt: skip


def part() -> Part:
    """A table for each corpus, from records."""
    lines, findings = [], []
    for corpus in CORPORA:
        rows = systems(corpus)
        findings.append(
            f"**Choi et al., {TITLES[corpus]}, beam {WIDE}**: each part adds so much BLEU, and in "
            f"brackets so much in the paper: {', '.join(gains_in_words(rows))}."
        )
        cells = [_cells(row, paper) for row, paper in zip(rows, PAPER_NARROW, strict=True)]
        lines += [f"### {TITLES[corpus]}, `{corpus}`", "", *rows_as_table(HEAD, cells), ""]
    notes = (
        f"{scored_how(systems(CORPORA[0])[0].run)} Gains are those with the wide beam. The systems "
        "are those of the table with the paper's own name; its numbers are of English–German."
    )
    lines += bullets(findings)
    return Part(
        "choi_beams", "Choi et al., Table 1: two beams, two corpora", lines, notes, findings
    )


def _cells(row: System, paper_narrow: float) -> tuple[str, ...]:
    narrow = recorded(replace(row.run, beam_size=NARROW))
    bleus = [f"{scores['bleu']:.2f}" for scores in (narrow, recorded(row.run))]
    return (row.name, *bleus, *compared(row), f"{paper_narrow:.2f}", f"{row.paper:.2f}")


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
