"""Luong et al. (2015), English–German: from no attention to local-p with unknown words replaced."""

import math
from collections import Counter
from dataclasses import replace

from experiments.measuring.kept_translations import references, scored_texts
from experiments.measuring.scores import Scores
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, write_part
from experiments.tables.system_rows import System, half, systems_part
from fa_jax.data.tokenizers import Words
from fa_jax.evaluation.scores import UNKNOWN_SYMBOL

LOCAL_P = half("small-words-general-local-p-feed")
COPIED = replace(LOCAL_P, replace_unknown=True)
SYSTEMS = [
    System("base", half("small-words-base"), 11.3),
    System("reverse", half("small-words-base-reverse"), 12.6, against="base"),
    System("dropout", half("small-words-base-reverse-dropout"), 14.0, against="reverse"),
    System("global (location)", half("small-words-location"), 16.8, against="dropout"),
    System("input feeding", half("small-words-location-feed"), 18.1, against="global (location)"),
    System("local-p (general)", LOCAL_P, 19.0, against="input feeding"),
    System("unknown words replaced", COPIED, 20.9, against="local-p (general)"),
]
WANTED = [Scores(row.run) for row in SYSTEMS]


def part() -> Part:
    """The table, from records."""
    copied, right = _copied_and_right()
    notes = (
        "Words. Each row adds to the row above it; local-p takes the place of global. *Reverse*: "
        "the encoder reads the source from its end to its first word; the decoder starts there. "
        "*Unknown words replaced*: the source's word is copied, without the paper's dictionary. "
        f"{copied} words are copied into Japanese, and {right} of them are in the references. The "
        "networks have one layer, the paper's four. The paper's numbers are of English–German, "
        "WMT'14."
    )
    title = "Luong et al.: what each step adds"
    return systems_part("luong_table", title, "Luong et al.", SYSTEMS, notes)


def _copied_and_right() -> tuple[int, int]:
    """Unknown words that are replaced, and new words that the sentence's reference has, too."""
    kept = [scored_texts(run, math.inf) for run in (LOCAL_P, COPIED)]
    copied = right = 0
    for texts in zip(*kept, references(LOCAL_P.corpus, LOCAL_P.languages), strict=True):
        before, after, reference = (Counter(Words("ja").tokenize(text)) for text in texts)
        copied += before[UNKNOWN_SYMBOL]
        right += ((after - before) & reference).total()
    return copied, right


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
