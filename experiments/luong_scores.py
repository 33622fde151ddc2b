"""Luong et al. (2015), Table 4: which score under which span, before and after unknown words are
replaced."""

from dataclasses import replace

from experiments.measuring.perplexities import Perplexity
from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import UNITS, StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import half
from fa_jax.attention import AttentionConfig

LAYERS = 2
PAPER = {
    ("location", "global"): "6.4, 18.1, 19.3",
    ("dot", "global"): "6.1, 18.6, 20.5",
    ("general", "global"): "6.1, 17.3, 19.1",
    ("concat", "global"): "",
    ("dot", "local_m"): "more than 7.0",
    ("general", "local_m"): "6.2, 18.6, 20.4",
    ("dot", "local_p"): "6.6, 18.0, 19.6",
    ("general", "local_p"): "5.9, 19.0, 20.9",
}
"""Of each score under each span: perplexity, BLEU, and BLEU with unknown words replaced."""


def _trained(score: str, span: str) -> StudyRun:
    """With Luong's decoder and input feeding."""
    changes = {"attention": AttentionConfig(score, span), "layers": LAYERS}
    return half("small-words-general-local-p-feed", f"{score}-{span}", changes)


RUNS = {key: _trained(*key) for key in PAPER}
REPLACED = {key: replace(run, replace_unknown=True) for key, run in RUNS.items()}
WANTED = [
    *(Perplexity(run) for run in RUNS.values()),
    *(Scores(run) for run in (*RUNS.values(), *REPLACED.values())),
]
HEAD = ("score", "span", "perplexity", "BLEU", "unknown words replaced", "gained",
        "paper: perplexity, BLEU, replaced")  # fmt: skip


def part() -> Part:
    """The table, from records."""
    rows, gains = [], []
    for key, run in RUNS.items():
        before, after = recorded(run)["bleu"], recorded(REPLACED[key])["bleu"]
        gains.append(after - before)
        rows.append((*key, f"{Perplexity(run).recorded():.2f}", f"{before:.2f}", f"{after:.2f}",
                     f"{gains[-1]:+.2f}", PAPER[key]))  # fmt: skip
    findings = [
        f"**Luong et al., unknown words replaced** by a dictionary learnt on the training set: "
        f"{min(gains):+.2f} to {max(gains):+.2f} BLEU (in the paper +1.2 to +1.9)."
    ]
    notes = (
        f"English–Japanese, words, {LAYERS} layers of {UNITS} units, one training each. An unknown "
        "word that is left counts as one word. Paper: English–German, WMT'14, four layers."
    )
    lines = [*rows_as_table(HEAD, rows), "", *bullets(findings)]
    title = "Luong et al., Table 4: scores under spans"
    return Part("luong_scores", title, lines, notes, findings)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
