"""Luong et al. (2015), English–German: from no attention to local-p with unknown words replaced."""

from system_table import System, half, table
from trained import announce, write_part

SYSTEMS = [
    System("base", half("small-words-base"), "11.3"),
    System("+ reverse", half("small-words-base-reverse"), "12.6", against="base"),
    System("+ dropout", half("small-words-base-reverse-dropout"), "14.0", against="+ reverse"),
    System("+ global (location)", half("small-words-location"), "16.8", against="+ dropout"),
    System(
        "... and input feeding",
        half("small-words-location-feed"),
        "18.1",
        against="+ global (location)",
    ),
    System(
        "local-p (general), input feeding",
        half("small-words-general-local-p-feed"),
        "19.0",
        against="... and input feeding",
    ),
    System(
        "... and unknown words replaced",
        half("small-words-general-local-p-feed-unk"),
        "20.9",
        against="local-p (general), input feeding",
    ),
]
RUNS = [row.trained for row in SYSTEMS]


def main():
    """Writes results/luong_table.md."""
    lines = [
        "## Luong et al.: what each step adds",
        "",
        *table(SYSTEMS),
        "",
        "Words. Reverse: the decoder starts from an encoder that ends with the first word. One "
        "layer where the paper has four. Paper: English–German, WMT'14. Command: "
        "`python experiments/luong_table.py`.",
        "",
    ]
    write_part("luong_table", lines)


if __name__ == "__main__":
    announce(RUNS)
    main()
