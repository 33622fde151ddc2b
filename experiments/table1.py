"""VS Table 1: word-level windows and scores, English–Japanese and German–English."""

from experiments.measuring.study_run import TITLES
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, write_part
from experiments.tables.span_rows import findings, rows_of, systems_of, table, wanted

PAPER = {
    "tatoeba_en_ja": {
        "global": "24.4, 34.87, 0.810",
        "local-p": "18.4, 34.52, 0.809",
        "flexible ∞": "24.4, 35.01, 0.814",
        "flexible τ": "16.4, 34.90, 0.812",
        "in windows τ": "10.7 (56% below), 34.78, 0.807",
    },
    "bible_de_en": {
        "global": "20.7, 20.62",
        "local-p": "15.7, 21.09",
        "flexible ∞": "20.7, 21.31",
        "flexible τ": "7.8, 21.11",
        "in windows τ": "7.4 (64% below), 20.79",
    },
}
LEAST = {"tatoeba_en_ja": 0.56, "bible_de_en": 0.64}
SYSTEMS = {corpus: systems_of(corpus, "small-words", "global", "local-p") for corpus in PAPER}
WANTED = [one for systems in SYSTEMS.values() for one in wanted(systems)]


def part() -> Part:
    """Both tables, from records."""
    lines, found = [], []
    for corpus, systems in SYSTEMS.items():
        rows = rows_of(systems)
        said = findings(TITLES[corpus], rows, LEAST[corpus])
        found += said
        lines += [f"### {TITLES[corpus]}, `{corpus}`", "", *table(rows, PAPER[corpus], "words"),
                  "", *bullets(said), ""]  # fmt: skip
    notes = "Each run's own command is in `experiments/results/records/runs`."
    return Part("table1", "Table 1: word level", lines[:-1], notes, found)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
