"""Luong et al. (2015), length analysis: BLEU of each of their systems by the source's length."""

import math
from functools import cache
from pathlib import Path

import numpy as np

from experiments.drawing import drawn, finish
from experiments.luong_table import BASE, LOCAL_P, SYSTEMS, WANTED
from experiments.measuring.kept_translations import bleu_of_sentences
from experiments.measuring.study_run import TITLES
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import CORPUS, System
from fa_jax.data.corpora import load_corpus
from fa_jax.data.tokenizers import Words

GROUPS = 5
"""Fifths of the test set, by the length of the source."""


def part() -> Part:
    """The table and the figure, from kept translations."""
    means = [np.mean([_lengths()[place] for place in group]) for group in _groups()]
    head = ("system", *(f"{length:.1f} words" for length in means))
    bleus = {row.name: _bleus(row) for row in SYSTEMS}
    rows = [(name, *(f"{bleu:.2f}" for bleu in of)) for name, of in bleus.items()]
    better = zip(bleus[BASE.name], bleus[LOCAL_P.name], strict=True)
    shortest, *_, longest = (with_attention / without for without, with_attention in better)
    findings = [
        f"**Luong et al., length**: *{LOCAL_P.name}* has {shortest:.2f} times the BLEU of "
        f"*{BASE.name}* in the shortest fifth of the sources, and {longest:.2f} times in the "
        "longest. In the paper, too, attention gains more where sentences are longer."
    ]
    lines = [*rows_as_table(head, rows), "", *bullets(findings), "",
             "![BLEU by source length](luong_lengths.png)"]  # fmt: skip
    notes = (
        f"{TITLES[CORPUS]}, words, the systems of Luong et al.'s table. A column is a fifth of the "
        "test set, and its head the mean length of a source. BLEU of different fifths differs for "
        "other reasons, too: compare down a column."
    )
    title = "Luong et al.: quality by the length of the source"
    return Part("luong_lengths", title, lines, notes, findings, {"luong_lengths": _draw})


@cache
def _lengths() -> list[int]:
    """Words of each source of the test set."""
    languages = SYSTEMS[0].run.languages
    split = Words(languages.split("-")[0]).tokenize
    return [len(split(source)) for source, _ in load_corpus(CORPUS, languages).test]


def _groups() -> list[np.ndarray]:
    """Places of sentences in the test set, those of the shortest fifth first."""
    return np.array_split(np.argsort(_lengths(), kind="stable"), GROUPS)


def _bleus(row: System) -> list[float]:
    return [bleu_of_sentences(row.run, math.inf, group.tolist()) for group in _groups()]


def _draw(path: Path):
    means = [np.mean([_lengths()[place] for place in group]) for group in _groups()]
    with drawn(path, 7) as axes:
        for row in SYSTEMS:
            axes.plot(means, _bleus(row), "o-", label=row.name)
        finish(axes, "source length (words, means of fifths)", "BLEU (test set)")


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
