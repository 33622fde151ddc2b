"""How long may a text be? Passages learnt, chapters of held-out books translated in pieces."""

from dataclasses import dataclass

from experiments.measuring.pieces import PIECES, WHOLE, InPieces
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, rows_as_table, write_part

CORPUS = "bible_de_en_chapters"
LONGEST_PASSAGES, PASSAGES = 1000, (120, 1000)
"""Tokens of the passages that runs learn from."""
OTHERS = ("global", "local-p", "monotonic", "adaptive")
"""Spans beside flexible, learnt from the shorter passages."""
WANTED_LOSS, WANTED_SHARE = 1.0, 0.98


def of_documents(longest: int, system: str = "") -> StudyRun:
    """A run that learns from passages of up to so many tokens."""
    preset = f"small-{system}" if system else "small"
    return StudyRun(CORPUS, preset, finetuned=True, documents=longest)


@dataclass(frozen=True)
class Row:
    """A run at a threshold; None: its own."""

    what: str
    measured: InPieces

    def cells(self, score: str, shape: str) -> list[str]:
        """The score of each length of pieces."""
        found = self.measured.recorded
        return [self.what, *(format(found[str(lines)][score], shape) for lines in PIECES)]


def _rows() -> list[Row]:
    flexible = [
        Row(f"flexible, passages of {longest}, {name}", InPieces(of_documents(longest), threshold))
        for longest in PASSAGES
        for name, threshold in (("τ by order", None), ("τ = 1.2", 1.2))
    ]
    others = [
        Row(f"{system}, passages of {PASSAGES[0]}", InPieces(of_documents(PASSAGES[0], system)))
        for system in OTHERS
    ]
    return [*flexible, *others]


ROWS = _rows()
WANTED = [row.measured for row in ROWS]
SCORES = {
    "document_bleu": ("BLEU of documents", ".2f"),
    "translated": ("Lines translated", ".0%"),
    "length": ("Words written for each of the references'", ".2f"),
    "window": ("Window, in positions", ".1f"),
    "ms_a_word": ("Milliseconds a word", ".2f"),
}


def part() -> Part:
    """A table for each score, of the rows that were measured."""
    rows = [row for row in ROWS if row.measured.is_recorded()]
    head = ["", *("whole" if lines == WHOLE else str(lines) for lines in PIECES)]
    lines = []
    for score, (title, shape) in SCORES.items():
        cells = [row.cells(score, shape) for row in rows]
        lines += [f"### {title}", "", *rows_as_table([title, *head[1:]], cells), ""]
    notes = (
        "Chapters of books that training did not see, in pieces of so many verses; a piece is read "
        "whole and written verse by verse. A verse counts as translated where no other verse of "
        "its chapter is more like what was written (chrF). Beam 5; hypotheses compare by the power "
        "of the length that was chosen on the validation set, or by 1."
    )
    return Part("documents", "How long may a text be?", lines, notes)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
