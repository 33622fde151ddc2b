"""Luong et al. (2015), English–German: from no attention to local-p with unknown words replaced."""

from dataclasses import replace

from system_table import System, half, table
from trained import announce, write_part

LOCAL_P = half("small-words-general-local-p-feed")
SYSTEMS = [
    System("base", half("small-words-base"), 11.3),
    System("reverse", half("small-words-base-reverse"), 12.6, against="base"),
    System("dropout", half("small-words-base-reverse-dropout"), 14.0, against="reverse"),
    System("global (location)", half("small-words-location"), 16.8, against="dropout"),
    System("input feeding", half("small-words-location-feed"), 18.1, against="global (location)"),
    System("local-p (general)", LOCAL_P, 19.0, against="input feeding"),
    System(
        "unknown words replaced",
        replace(LOCAL_P, replace_unknown=True),
        20.9,
        against="local-p (general)",
    ),
]
RUNS = [row.trained for row in SYSTEMS]


def main():
    """Writes results/luong_table.md."""
    lines = [
        "## Luong et al.: what each step adds",
        "",
        *table("Luong et al.", SYSTEMS),
        "",
        "Words; each row adds to the one above it, local-p takes global's place. Reverse: the "
        "decoder starts from an encoder that ends with the first word. Unknown words: the source's "
        "own is copied, without the paper's dictionary; MeCab reads each `<unk>` as three words, "
        "and their going is all that is gained (`experiments/README.md`). One layer where the "
        "paper has four. Paper: English–German, WMT'14. Command: "
        "`python experiments/luong_table.py`.",
        "",
    ]
    write_part("luong_table", lines)


if __name__ == "__main__":
    announce(RUNS)
    main()
