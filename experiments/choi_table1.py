"""Choi et al. (2018), Table 1: the word fed back in the score, a score for each dimension, and
contextualised embeddings, with the paper's two beams and on two corpora."""

from dataclasses import replace

from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import TITLES, StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.by_length import bleu_by_length, mean_lengths
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import (
    COMPARED,
    System,
    compared,
    gains_in_words,
    half,
    scored_how,
    signed,
)

BASELINE = System("baseline", half("small-words-global"), 20.78)
ATTY = System("AttY", half("small-words-atty"), 21.41, BASELINE)
ATTY2D = System("AttY2D", half("small-words-atty2d"), 22.50, ATTY)
CONTEXT = System("C", half("small-words-context"), 22.13, BASELINE)
CONTEXT_ATTY = System("C + AttY", half("small-words-context-atty"), 23.25, CONTEXT)
CONTEXT_ATTY2D = System("C + AttY2D", half("small-words-context-atty2d"), 23.74, CONTEXT_ATTY)
SYSTEMS = [BASELINE, ATTY, ATTY2D, CONTEXT, CONTEXT_ATTY, CONTEXT_ATTY2D]
"""With the paper's BLEU, of the wide beam."""
PAPER_NARROW = {
    "baseline": 17.57,
    "AttY": 19.15,
    "AttY2D": 20.49,
    "C": 19.13,
    "C + AttY": 20.96,
    "C + AttY2D": 22.37,
}
"""The systems' BLEU there with the narrow beam."""
CONTEXTUALISED = [(BASELINE, CONTEXT), (ATTY, CONTEXT_ATTY), (ATTY2D, CONTEXT_ATTY2D)]
"""Systems without contextualised embeddings and with them."""
TRAINED = {"tatoeba_en_ja": SYSTEMS, "tatoeba_de_en": [BASELINE, ATTY, CONTEXT]}
"""On each corpus."""
NARROW, WIDE = 1, 12
"""Beams."""


def _run(row: System, corpus: str, beam: int) -> StudyRun:
    return replace(row.run, corpus=corpus, beam_size=beam)


def rows_of(corpus: str) -> list[System]:
    """The systems on a corpus, with the wide beam."""
    rows: dict[str, System] = {}
    for row in TRAINED[corpus]:
        against = rows[row.against.name] if row.against else None
        rows[row.name] = replace(row, run=_run(row, corpus, WIDE), against=against)
    return list(rows.values())


WANTED = [
    Scores(_run(row, corpus, beam))
    for corpus, systems in TRAINED.items()
    for row in systems
    for beam in (NARROW, WIDE)
]
HEAD = ("system", f"BLEU, beam {NARROW}", f"beam {WIDE}", *COMPARED,
        f"paper: beam {NARROW}", f"beam {WIDE}")  # fmt: skip


def part() -> Part:
    """A table for each corpus, from records."""
    lines, findings = [], []
    for corpus in TRAINED:
        rows = rows_of(corpus)
        findings.append(
            f"**Choi et al., {TITLES[corpus]}**, beam {WIDE}: each part adds so much BLEU, and in "
            f"brackets so much in the paper: {', '.join(gains_in_words(rows))}."
        )
        lines += [f"### {TITLES[corpus]}, `{corpus}`", ""]
        for table in (rows_as_table(HEAD, map(_cells, rows)), _context_by_length(corpus)):
            lines += [*table, ""]
        lines += [scored_how(rows[0].run), ""]
    lines += bullets(findings)
    notes = (
        "Words, global attention. *AttY*: the score reads the word fed back. *2D*: the score has a "
        "value for each dimension of the annotations. *C*: contextualised embeddings. Gains are "
        "those of the wide beam. The second table of a corpus says what C gains in each fifth of "
        "its test set, whose sources have so many words. Not all systems are trained on the second "
        "corpus. The paper's numbers are of English–German."
    )
    title = "Choi et al., Table 1: fine-grained attention"
    return Part("choi_table1", title, lines, notes, findings)


def _cells(row: System) -> tuple[str, ...]:
    narrow = recorded(replace(row.run, beam_size=NARROW))
    bleus = [f"{scores['bleu']:.2f}" for scores in (narrow, recorded(row.run))]
    return (row.name, *bleus, *compared(row), f"{PAPER_NARROW[row.name]:.2f}", f"{row.paper:.2f}")


def _context_by_length(corpus: str) -> list[str]:
    """Do contextualised embeddings gain more where there is more context?"""
    lengths = mean_lengths(_run(BASELINE, corpus, WIDE))
    head = ("C added to", *(f"{length:.1f} words" for length in lengths))
    rows = []
    for both in CONTEXTUALISED:
        if not all(row in TRAINED[corpus] for row in both):
            continue
        before, after = (bleu_by_length(_run(row, corpus, WIDE)) for row in both)
        gains = (signed(y - x) for x, y in zip(before, after, strict=True))
        rows.append((both[0].name, *gains))
    return rows_as_table(head, rows)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
