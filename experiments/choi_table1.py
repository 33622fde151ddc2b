"""Choi et al. (2018), Table 1: the word fed back in the score, a score for each dimension, and
contextualised embeddings."""

from system_table import System, half, table
from trained import announce, write_part

SYSTEMS = [
    System("baseline", half("small-words-global"), 20.78),
    System("AttY", half("small-words-atty"), 21.41, against="baseline"),
    System("AttY2D", half("small-words-atty2d"), 22.50, against="AttY"),
    System("C", half("small-words-context"), 22.13, against="baseline"),
    System("C + AttY", half("small-words-context-atty"), 23.25, against="C"),
    System("C + AttY2D", half("small-words-context-atty2d"), 23.74, against="C + AttY"),
]
RUNS = [row.trained for row in SYSTEMS]


def main():
    """Writes results/choi_table1.md."""
    lines = [
        "## Choi et al., Table 1: fine-grained attention",
        "",
        *table("Choi et al.", SYSTEMS),
        "",
        "Words, global attention. AttY: the score reads the word fed back; 2D: a score for each "
        "dimension of the annotations; C: contextualised embeddings. Paper: English–German, beam "
        "12. Command: `python experiments/choi_table1.py`.",
        "",
    ]
    write_part("choi_table1", lines)


if __name__ == "__main__":
    announce(RUNS)
    main()
