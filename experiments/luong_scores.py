"""Luong et al. (2015), Table 4: which score under which span, before and after unknown words are
replaced, and the spans again on another corpus."""

import math
from dataclasses import replace

from experiments.luong_table import FEED, LOCAL_P
from experiments.measuring.kept_translations import SAMPLES, p_value
from experiments.measuring.perplexities import Perplexity
from experiments.measuring.records import recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import TITLES, UNITS, StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import CORPUS, half, signed
from fa_jax.attention import AttentionConfig

PAPER = {
    ("location", "global"): "6.4, 18.1, 19.3",
    ("dot", "global"): "6.1, 18.6, 20.5",
    ("general", "global"): "6.1, 17.3, 19.1",
    ("concat", "global"): "",
    ("general", "local_m"): "6.2, 18.6, 20.4",
    ("dot", "local_p"): "6.6, 18.0, 19.6",
    ("general", "local_p"): "5.9, 19.0, 20.9",
}
"""Of each score under each span: perplexity, BLEU, and BLEU with unknown words replaced."""
SPANS = ("global", "local_m", "local_p")
OTHER_CORPUS = "bible_de_en"


def _run(score: str, span: str) -> StudyRun:
    """With Luong's decoder and input feeding. Two are rows of `luong_table`, too."""
    shared = {("location", "global"): FEED.run, ("general", "local_p"): LOCAL_P.run}
    changes = {"attention": AttentionConfig(score, span)}
    return shared.get((score, span)) or half(LOCAL_P.run.preset, f"{score}-{span}", changes)


RUNS = {key: _run(*key) for key in PAPER}
REPLACED = {key: replace(run, replace_unknown=True) for key, run in RUNS.items()}


def _elsewhere(run: StudyRun) -> StudyRun:
    """On the other corpus, whose sentences are longer: of up to 50 words, as theirs."""
    changes = {"data": {"max_length": 50}, **run.changes}
    return replace(run, corpus=OTHER_CORPUS, changes=changes)


HERE = [RUNS["general", span] for span in SPANS]
BY_SPAN = {CORPUS: HERE, OTHER_CORPUS: [*map(_elsewhere, HERE)]}
WANTED = [
    *(Perplexity(run) for run in RUNS.values()),
    *(Scores(run) for run in (*RUNS.values(), *REPLACED.values(), *BY_SPAN[OTHER_CORPUS])),
]
HEAD = ("score", "span", "perplexity", "BLEU", "unknown words replaced", "gained", "p",
        "paper: perplexity, BLEU, replaced")  # fmt: skip


def part() -> Part:
    """The table, from records."""
    rows, gains = [], []
    for key, run in RUNS.items():
        before, after = recorded(run)["bleu"], recorded(REPLACED[key])["bleu"]
        gains.append(after - before)
        measured = (f"{x:.2f}" for x in (Perplexity(run).recorded(), before, after))
        names = (name.replace("_", "-") for name in key)
        p = p_value((run, math.inf), (REPLACED[key], math.inf))
        rows.append((*names, *measured, signed(gains[-1]), f"{p:.3f}", PAPER[key]))
    replaced = (
        "**Luong et al., unknown words replaced** by a dictionary learnt on the training set: "
        f"{signed(min(gains))} to {signed(max(gains))} BLEU (in the paper +1.2 to +1.9)."
    )
    findings = [replaced, *map(_spans, BY_SPAN)]
    notes = (
        f"{TITLES[CORPUS]}, words, {UNITS} units, one training each. An unknown word that is left "
        f"counts as one word. *p*: paired bootstrap of {SAMPLES:,} samples, of what is gained. "
        "Paper: English–German, WMT'14, four layers. It has no BLEU for concat and for dot under "
        "local-m; the latter is not trained here."
    )
    lines = [*rows_as_table(HEAD, rows), "", *bullets(findings)]
    title = "Luong et al., Table 4: scores under spans"
    return Part("luong_scores", title, lines, notes, findings)


def bleu_by_span(corpus: str) -> tuple[float, float, float]:
    """Of global, local-m and local-p, with the general score."""
    return tuple(recorded(run)["bleu"] for run in BY_SPAN[corpus])


def _spans(corpus: str) -> str:
    everything, local_m, local_p = bleu_by_span(corpus)
    return (
        f"**Luong et al., spans, {TITLES[corpus]}** (`{corpus}`, general score): global "
        f"{everything:.2f} BLEU, local-p {signed(local_p - everything)}, local-m "
        f"{signed(local_m - everything)} (in the paper +1.7 and +1.3)."
    )


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
