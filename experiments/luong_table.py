"""Luong et al. (2015), Table 1: from no attention to local-p with unknown words replaced."""

import math
from collections import Counter
from dataclasses import replace

from experiments.measuring.kept_translations import references, scored_texts
from experiments.measuring.perplexities import Perplexity
from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import TITLES
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import (
    COMPARED,
    CORPUS,
    System,
    compared,
    gains_in_words,
    half,
    scored_how,
)
from fa_jax.data.tokenizers import Words
from fa_jax.evaluation.scores import UNKNOWN_SYMBOL

LOCAL_P_RUN = half("small-words-general-local-p-feed")
REPLACED_RUN = replace(LOCAL_P_RUN, replace_unknown=True)
BASE = System("base", half("small-words-base"), 11.3)
REVERSE = System("reverse", half("small-words-base-reverse"), 12.6, BASE)
DROPOUT = System("dropout", half("small-words-base-reverse-dropout"), 14.0, REVERSE)
GLOBAL = System("global (location)", half("small-words-location"), 16.8, DROPOUT)
FEED = System("input feeding", half("small-words-location-feed"), 18.1, GLOBAL)
LOCAL_P = System("local-p (general)", LOCAL_P_RUN, 19.0, FEED)
REPLACED = System("unknown words replaced", REPLACED_RUN, 20.9, LOCAL_P)
SYSTEMS = [BASE, REVERSE, DROPOUT, GLOBAL, FEED, LOCAL_P, REPLACED]
PERPLEXITIES = {
    "base": 10.6,
    "reverse": 9.9,
    "dropout": 8.1,
    "global (location)": 7.3,
    "input feeding": 6.4,
    "local-p (general)": 5.9,
}
"""The paper's, of the systems that are a training each."""
WANTED = [
    *(Perplexity(row.run) for row in SYSTEMS if row.name in PERPLEXITIES),
    *(Scores(row.run) for row in SYSTEMS),
]
HEAD = ("system", "perplexity", "BLEU", "RIBES", *COMPARED, "paper: perplexity", "paper: BLEU")


def part() -> Part:
    """The table, from records."""
    findings = [
        "**Luong et al.**: each part adds so much BLEU, and in brackets so much in the paper: "
        f"{', '.join(gains_in_words(SYSTEMS))}.",
    ]
    replaced, right = _replaced_and_right()
    lines = [*rows_as_table(HEAD, map(_cells, SYSTEMS)), "",
             f"{TITLES[CORPUS]}, {scored_how(LOCAL_P_RUN)}", "", *bullets(findings)]  # fmt: skip
    notes = (
        "Words. Each row adds to the row above it; local-p takes the place of global. *Reverse*: "
        "the encoder reads the source from its end to its first word; the decoder starts there. "
        "*Unknown words replaced*: a dictionary learnt on the training set translates the source's "
        f"word, or it is copied. {replaced} words are replaced so, and {right} of them are in the "
        "references. *Perplexity*: of the test set's references, ends of sentences included. The "
        "networks have one layer, the paper's four. The paper's numbers are of English–German, "
        "WMT'14."
    )
    return Part("luong_table", "Luong et al.: what each step adds", lines, notes, findings)


def _cells(row: System) -> tuple[str, ...]:
    scores = recorded(row.run)
    here = theirs = ""
    if row.name in PERPLEXITIES:
        here, theirs = f"{Perplexity(row.run).recorded():.2f}", f"{PERPLEXITIES[row.name]:.1f}"
    measured = (here, f"{scores['bleu']:.2f}", f"{scores['ribes']:.3f}")
    return (row.name, *measured, *compared(row), theirs, f"{row.paper:.1f}")


def _replaced_and_right() -> tuple[int, int]:
    """Unknown words that are replaced, and new words that the sentence's reference has, too."""
    kept = [scored_texts(run, math.inf) for run in (LOCAL_P_RUN, REPLACED_RUN)]
    replaced = right = 0
    for texts in zip(*kept, references(CORPUS, LOCAL_P_RUN.languages), strict=True):
        before, after, reference = (Counter(Words("ja").tokenize(text)) for text in texts)
        replaced += before[UNKNOWN_SYMBOL]
        right += ((after - before) & reference).total()
    return replaced, right


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
