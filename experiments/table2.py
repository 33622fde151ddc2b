"""VS Table 2: character-level windows and scores, English–Japanese."""

from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, write_part
from experiments.tables.span_rows import findings, rows_of, systems_of, table, wanted

PAPER = {
    "global": "144.9, 26.18, 0.767",
    "flexible ∞": "144.9, 26.68, 0.763",
    "flexible τ": "80.4, 26.18, 0.757",
    "in windows τ": "77.4 (46% below), 26.23, 0.757",
}
LEAST = 0.46
SYSTEMS = systems_of("tatoeba_en_ja", "small-chars", "global")
WANTED = wanted(SYSTEMS)


def part() -> Part:
    """The table, from records."""
    rows = rows_of(SYSTEMS)
    found = findings("Characters", rows, LEAST)
    lines = [*table(rows, PAPER, "characters"), "", *bullets(found)]
    notes = (
        "Beside the paper's vocabularies, no setting was chosen for characters but the number of "
        "steps, twice those of words. Each run's own command is in "
        "`experiments/results/records/runs`."
    )
    return Part("table2", "Table 2: characters", lines, notes, found)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
