"""Choi et al. (2018), Table 1: the word fed back in the score, a score for each dimension, and
contextualised embeddings."""

from experiments.measuring.scores import Scores
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, write_part
from experiments.tables.system_rows import System, half, systems_part

SYSTEMS = [
    System("baseline", half("small-words-global"), 20.78),
    System("AttY", half("small-words-atty"), 21.41, against="baseline"),
    System("AttY2D", half("small-words-atty2d"), 22.50, against="AttY"),
    System("C", half("small-words-context"), 22.13, against="baseline"),
    System("C + AttY", half("small-words-context-atty"), 23.25, against="C"),
    System("C + AttY2D", half("small-words-context-atty2d"), 23.74, against="C + AttY"),
]
WANTED = [Scores(row.run) for row in SYSTEMS]


def part() -> Part:
    """The table, from records."""
    title = "Choi et al., Table 1: fine-grained attention"
    notes = (
        "Words, global attention. *AttY*: the score reads the word fed back. *2D*: the score has a "
        "value for each dimension of the annotations. *C*: contextualised embeddings. The paper's "
        "numbers are of English–German, beam 12."
    )
    return systems_part("choi_table1", title, "Choi et al.", SYSTEMS, notes)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
