"""How long may a text be? Passages learnt, chapters of held-out books translated in pieces."""

from dataclasses import dataclass
from pathlib import Path

from experiments.drawing import drawn, finish
from experiments.measuring.pieces import PIECES, WHOLE, InPieces
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part

CORPUS = "bible_de_en_chapters"
LONGEST_PASSAGES, PASSAGES = 1000, (120, 1000)
"""Tokens of the passages that runs learn from."""
OTHERS = ("global", "local-p", "monotonic", "adaptive")
"""Spans beside flexible, learnt from the shorter passages."""


def of_documents(longest: int, system: str = "") -> StudyRun:
    """A run that learns from passages of up to so many tokens."""
    preset = f"small-{system}" if system else "small"
    return StudyRun(CORPUS, preset, documents=longest)


@dataclass(frozen=True)
class Row:
    """A run, and its documents in pieces."""

    what: str
    measured: InPieces

    def cells(self, score: str, shape: str) -> list[str]:
        """The score of each length of pieces."""
        found = self.measured.recorded
        return [self.what, *(format(found[str(lines)][score], shape) for lines in PIECES)]

    def bleu(self, lines: int) -> float:
        """Of documents, in pieces of so many lines."""
        return self.measured.recorded[str(lines)]["document_bleu"]


NAMES = ["whole" if lines == WHOLE else str(lines) for lines in PIECES]
ROWS = [
    *(
        Row(f"flexible, passages of {longest:,}", InPieces(of_documents(longest), threshold=None))
        for longest in PASSAGES
    ),
    Row(f"flexible at τ = ∞, passages of {PASSAGES[0]}", InPieces(of_documents(PASSAGES[0]))),
    *(
        Row(f"{system}, passages of {PASSAGES[0]}", InPieces(of_documents(PASSAGES[0], system)))
        for system in OTHERS
    ),
]
WANTED = [row.measured for row in ROWS]
SCORES = {
    "document_bleu": ("BLEU of documents", ".2f"),
    "translated": ("Lines translated", ".0%"),
    "length": ("Words written for each of the references'", ".2f"),
    "window": ("Window, in positions", ".1f"),
}


def part() -> Part:
    """A table for each score, from records."""
    head = ["verses of a piece", *NAMES]
    lines = []
    for score, (title, shape) in SCORES.items():
        cells = [row.cells(score, shape) for row in ROWS]
        lines += [f"### {title}", "", *rows_as_table(head, cells), ""]
    findings = [
        f"**Long text**, {row.what} tokens: {row.bleu(1):.1f} BLEU of documents verse by verse, "
        f"{row.bleu(WHOLE):.1f} where whole chapters are read."
        for row in ROWS
    ]
    notes = (
        "Chapters of books that training did not see, in pieces of so many verses; a piece is read "
        "whole and written verse by verse. A verse counts as translated where no other verse of "
        "its chapter is more like what was written (chrF). Beam 5. Hypotheses compare by log p ÷ "
        "length to a power that the validation set chose: 0.8 for flexible attention that learnt "
        "from passages of 1,000 tokens, for monotonic and adaptive; 1 for flexible attention "
        "that learnt from 120. Global and local-p have 1, and had no choice. The longest chapter "
        "has 49 verses: 64 of them are whole chapters."
    )
    lines += [*bullets(findings), "", "![quality by length of pieces](documents.png)"]
    return Part(
        "documents", "How long may a text be?", lines, notes, findings, {"documents": _draw}
    )


def _draw(path: Path):
    places = range(len(PIECES))
    with drawn(path, 11, panels=2) as panels:
        for axes, score in zip(panels, ("document_bleu", "translated"), strict=True):
            for row in ROWS:
                found = row.measured.recorded
                values = [found[str(lines)][score] for lines in PIECES]
                axes.plot(places, values, "o-", label=row.what)
            axes.set_xticks(places, NAMES)
            axes.set_ylim(bottom=0)
            finish(axes, "verses of a piece", SCORES[score][0])
        panels[1].get_legend().remove()


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
