"""Translating while someone speaks: what does each policy translate, and how late?

Networks that learnt from whole sentences. A curve is a policy, a dot how many tokens must have been
heard behind the place that a word needs. MILk (Arivazhagan et al. 2019) is a model that is trained
for it, and is not among them.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

import fa_jax
from experiments.benchmarks.report import Headline, Report
from experiments.drawing import drawn, finish
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.folders import BENCHMARKS, RUNS
from experiments.measuring.study_run import TITLES, StudyRun
from experiments.measuring.wanted import train_or_load
from fa_jax.evaluation.scores import score_translations
from fa_jax.runs.run import Run
from fa_jax.runs.simultaneous import Interpreter, average_lagging, speak, units

GERMAN = StudyRun("tatoeba_de_en", "small")
LINES = 500
"""The first ones of each test set."""
ALL = 1000.0
"""More tokens than a line has."""
BEHIND = {
    "focus": (0.5, 1, 1.5, 2, 2.5, 3, 4, ALL),
    "align-att": (1, 2, 3, 4),
    "wait-k": range(1, 10),
}


def measure() -> Report:
    """A row for each corpus, policy and number of tokens."""
    train_or_load(GERMAN)
    folders = {"tatoeba_en_ja": Path("en-ja"), GERMAN.corpus: RUNS / GERMAN.folder}
    rows = [
        {"corpus": TITLES[corpus], **row}
        for corpus, folder in folders.items()
        for row in _of_run(fa_jax.load_run(folder))
    ]
    draw(rows, BENCHMARKS / "simultaneous.png")
    headlines = [
        Headline(f"{TITLES[corpus]}: {which} BLEU over wait-k at the same AL", of(gains), 0, True)
        for corpus in folders
        for gains in [_gains([row for row in rows if row["corpus"] == TITLES[corpus]])]
        for which, of in (("least", min), ("mean", mean))
    ]
    return Report(
        "simultaneous",
        {"lines": LINES},
        rows,
        [
            "AL, LAAL: average lagging, in words of the source; LAAL counts the longer one of "
            "translation and reference. Words of the translation are whole when they count; in "
            "Japanese they are letters.",
            "![BLEU over average lagging](simultaneous.png)",
        ],
        headlines,
        question="what does each policy translate while someone speaks, and how late?",
        command="python -m experiments.simultaneous",
    )


def _of_run(run: Run) -> list[dict[str, Any]]:
    sources, references = zip(*list(run.pairs("test"))[:LINES], strict=True)
    tried = [(policy, float(n)) for policy, numbers in BEHIND.items() for n in numbers]
    speeches = [(Interpreter(run, *one), line) for one, line in product(tried, sources)]
    records = iter(speak(speeches))
    return [
        {
            "policy": policy,
            "behind": "all" if behind == ALL else behind,
            **_scores([next(records) for _ in sources], sources, references, run),
        }
        for policy, behind in tried
    ]


def _scores(
    records: Sequence[dict[str, Any]], sources: Sequence[str], references: Sequence[str], run: Run
) -> dict[str, float]:
    language = run.target.language
    heard = [len(units(text, run.source.language)) for text in sources]
    wanted = [len(units(text, language)) for text in references]
    longer = [max(n, len(record["words"])) for n, record in zip(wanted, records, strict=True)]
    delays = [record["delays"] or [n] for record, n in zip(records, heard, strict=True)]
    bleu = score_translations([one["text"] for one in records], references, language, ["bleu"])
    return {
        "BLEU": bleu["bleu"],
        "AL": mean(map(average_lagging, delays, heard, wanted)),
        "LAAL": mean(map(average_lagging, delays, heard, longer)),
    }


def _gains(rows: Sequence[dict[str, Any]]) -> list[float]:
    """BLEU of the focus, in a line between its dots, less that of each k that is as late."""
    ours = sorted((row["AL"], row["BLEU"]) for row in rows if row["policy"] == "focus")
    lags, bleus = zip(*ours, strict=True)
    return [
        float(np.interp(row["AL"], lags, bleus)) - row["BLEU"]
        for row in rows
        if row["policy"] == "wait-k" and row["AL"] >= lags[0]
    ]


def draw(rows: Sequence[dict[str, Any]], path: Path):
    """A panel a corpus, a curve a policy."""
    corpora = [*dict.fromkeys(row["corpus"] for row in rows)]
    with drawn(path, 10, len(corpora)) as panels:
        for axes, corpus in zip(panels, corpora, strict=True):
            for policy in BEHIND:
                dots = [r for r in rows if (r["corpus"], r["policy"]) == (corpus, policy)]
                dots.sort(key=lambda row: row["AL"])
                at = ([row[name] for row in dots] for name in ("AL", "BLEU"))
                axes.plot(*at, marker="o", ms=4, label=policy)
            axes.set_title(corpus)
            finish(axes, "average lagging (words)", "BLEU")


if __name__ == "__main__":
    measure_and_publish(measure)
