"""VS Table 1, first half: word-level windows and scores, English–Japanese."""

from functools import partial

from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import write_part
from experiments.tables.span_rows import span_part, systems_of, wanted

PAPER = {
    "global": "24.4, 34.87, 0.810",
    "local-p": "18.4, 34.52, 0.809",
    "flexible ∞": "24.4, 35.01, 0.814",
    "flexible τ": "16.4, 34.90, 0.812",
    "in windows τ": "10.7 (56% below), 34.78, 0.807",
}
SYSTEMS = systems_of("tatoeba_en_ja", "small-words", "global", "local-p")
WANTED = wanted(SYSTEMS)
part = partial(
    span_part, "table1", "Table 1: English–Japanese words", SYSTEMS, PAPER, 0.56, "words"
)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
