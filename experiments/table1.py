"""VS Table 1: word-level windows and scores, English–Japanese and German–English."""

from significance import bleu_with_unknown_as_one
from span_table import rows_of, table, verdict
from trained import TITLES, Trained, announce, write_part

PAPER = {
    "tatoeba_en_ja": {
        "global": "24.4, 34.87, 0.810",
        "local-p": "18.4, 34.52, 0.809",
        "flexible ∞": "24.4, 35.01, 0.814",
        "flexible τ": "16.4, 34.90, 0.812",
        "fine-tuned τ": "10.7 (56% below), 34.78, 0.807",
    },
    "bible_de_en": {
        "global": "20.7, 20.62",
        "local-p": "15.7, 21.09",
        "flexible ∞": "20.7, 21.31",
        "flexible τ": "7.8, 21.11",
        "fine-tuned τ": "7.4 (64% below), 20.79",
    },
}
WANTED = {"tatoeba_en_ja": 0.56, "bible_de_en": 0.64}
SYSTEMS = {
    corpus: {
        "global": Trained(corpus, "small-words-global"),
        "local-p": Trained(corpus, "small-words-local-p"),
        "flexible": Trained(corpus, "small-words"),
        "fine-tuned": Trained(corpus, "small-words", finetuned=True),
    }
    for corpus in PAPER
}
RUNS = [trained for systems in SYSTEMS.values() for trained in systems.values()]


def main():
    """Writes results/table1.md."""
    lines = ["## Table 1: word level", ""]
    for corpus, systems in SYSTEMS.items():
        rows = rows_of(systems)
        lines += [f"### {TITLES[corpus]}, `{corpus}`", "", *table(rows, PAPER[corpus], "words"),
                  "", *verdict(TITLES[corpus], rows, WANTED[corpus]), ""]  # fmt: skip
        if corpus == "tatoeba_en_ja":
            counted = [
                f"{row.place} {bleu_with_unknown_as_one(row.trained, row.threshold):.2f}"
                for row in rows
            ]
            lines += [
                f"- **{TITLES[corpus]}, unknown words**: MeCab reads `<unk>` as three. BLEU where "
                f"each is one: {', '.join(counted)}.",
                "",
            ]
    lines += ["Command: `python experiments/table1.py`; each run's own is in `results/runs/`.", ""]
    write_part("table1", lines)


if __name__ == "__main__":
    announce(RUNS)
    main()
