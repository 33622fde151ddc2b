"""Luong et al. (2015), length analysis: BLEU of each of their systems by the source's length."""

from pathlib import Path

from experiments.drawing import drawn, finish
from experiments.luong_table import BASE, LOCAL_P, SYSTEMS, WANTED
from experiments.measuring.study_run import TITLES
from experiments.measuring.wanted import train_and_measure
from experiments.tables.by_length import bleu_by_length, mean_lengths
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from experiments.tables.system_rows import CORPUS


def part() -> Part:
    """The table and the figure, from kept translations."""
    head = ("system", *(f"{length:.1f} words" for length in mean_lengths(BASE.run)))
    bleus = {row.name: bleu_by_length(row.run) for row in SYSTEMS}
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


def _draw(path: Path):
    means = mean_lengths(BASE.run)
    with drawn(path, 7) as axes:
        for row in SYSTEMS:
            axes.plot(means, bleu_by_length(row.run), "o-", label=row.name)
        finish(axes, "source length (words, means of fifths)", "BLEU (test set)")


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
