"""VS Table 1, second half: word-level windows and scores, German–English."""

from functools import partial

from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import write_part
from experiments.tables.span_rows import span_part, systems_of, wanted

PAPER = {
    "global": "20.7, 20.62",
    "local-p": "15.7, 21.09",
    "flexible ∞": "20.7, 21.31",
    "flexible τ": "7.8, 21.11",
    "in windows τ": "7.4 (64% below), 20.79",
}
SYSTEMS = systems_of("bible_de_en", "small-words", "global", "local-p")
WANTED = wanted(SYSTEMS)
part = partial(
    span_part,
    "table1_german",
    "Table 1: German–English words, the Bible",
    SYSTEMS,
    PAPER,
    0.64,
    "words",
)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
