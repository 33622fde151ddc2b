"""Does one recipe do for any text? Global, flexible and ordered windows, trained equally long."""

from dataclasses import dataclass, replace
from statistics import mean

from experiments.measuring.records import record_of, recorded, selected
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, threshold_cell, write_part
from fa_jax.finetuning_settings import WINDOW

LARGEST_ORDER_MISS = 0.1
"""Of the order."""
COLLAPSED_WINDOW, COLLAPSED_LOSS = 4, 2
"""Positions and BLEU: a run whose windows are smaller and whose BLEU is lower has collapsed."""
HEAD = ("corpus", "pairs", "after `train`", "global", "flexible", "ordered", "τ", "window",
        "minutes")  # fmt: skip


@dataclass(frozen=True)
class Trained:
    """A row of the table: the same text, three times as long as a fine-tuning and once that.

    with_global: whether global attention was trained as long. cores: that flexible attention had.
    """

    start: StudyRun
    with_global: bool = True
    cores: int = 2

    @property
    def everywhere(self) -> StudyRun:
        """Global attention."""
        start = replace(self.start, preset=f"{self.start.preset}-global")
        return replace(start, finetuned=True, window=0.0)

    @property
    def flexible(self) -> StudyRun:
        """No windows ordered."""
        return replace(self.start, finetuned=True, window=0.0)

    @property
    def ordered(self) -> StudyRun:
        """Windows of 0.4 of the source."""
        return replace(self.start, finetuned=True, window=WINDOW)


ROWS = [
    Trained(StudyRun("tatoeba_en_ja", "small"), cores=1),
    Trained(StudyRun("tatoeba_en_ja", "small", pairs=5_000), cores=1),
    Trained(StudyRun("tatoeba_en_ja", "small", backwards=True), with_global=False),
    Trained(StudyRun("tatoeba_de_en", "small"), with_global=False, cores=1),
    Trained(StudyRun("bible_de_en", "small"), with_global=False, cores=1),
    Trained(StudyRun("bible_de_en", "small", pairs=5_000), with_global=False),
]
WANTED = [
    one
    for row in ROWS
    for one in (
        Scores(row.start),
        *([Scores(row.everywhere)] if row.with_global else []),
        Scores(row.flexible),
        Scores(row.ordered, own_threshold=True),
    )
]


def part() -> Part:
    """The table, from records."""
    lines = [*rows_as_table(HEAD, map(_cells, ROWS)), "", *bullets(_findings())]
    notes = (
        "BLEU of the test set, beam 5: on characters where the target is Japanese, on sacrebleu's "
        "13a words elsewhere. It is at τ = ∞ unless windows were ordered. One training each, of "
        "subwords. *After `train`*: what `fa-jax train LANGUAGES --corpus CORPUS` gives. The next "
        "three runs were trained further, equally long: global and flexible attention with "
        f"`fa-jax finetune --window 0`, windows of {WINDOW:g} of the source with "
        f"`fa-jax finetune --window {WINDOW:g}`. "
        "No other option is set, but that whole Bibles leave out sentences of more than 50 tokens. "
        "*Window*: the share of the source's positions that are scored on the test set. τ was "
        "found on the validation set, by greedy search; its windows are wider than those of beam "
        "search. Today's `finetune` searches with the run's own beam. *Minutes*: those of flexible "
        "attention's training, then of its ordered windows, in brackets on how many cores of two."
    )
    return Part("any_text", "One recipe for any text", lines, notes, _findings())


def _cells(row: Trained) -> tuple[str, ...]:
    start, ordered = row.start, recorded(row.ordered, selected(row.ordered))
    seconds = [record_of(run)["seconds"] for run in (start, row.ordered)]
    everywhere = f"{_of_global(row):.2f}" if row.with_global else "not trained"
    bleu = _quality(recorded(start)), _of_flexible(row), _of_ordered(row)
    first, *rest = (f"{one:.2f}" for one in bleu)
    return (
        f"{start.corpus}, {start.languages}",
        f"{start.pairs:,}" if start.pairs else "all",
        first,
        everywhere,
        *rest,
        threshold_cell(selected(row.ordered)),
        f"{_share(ordered):.0%}, {ordered['window']:.1f} of {ordered['source_length']:.1f}",
        f"{' + '.join(f'{one / 60:.0f}' for one in seconds)} ({row.cores})",
    )


def _of_global(row: Trained) -> float:
    return _quality(recorded(row.everywhere))


def _of_flexible(row: Trained) -> float:
    return _quality(recorded(row.flexible))


def _of_ordered(row: Trained) -> float:
    return _quality(recorded(row.ordered, selected(row.ordered)))


def _quality(scores: dict) -> float:
    return scores.get("bleu_char", scores["bleu"])


def _share(scores: dict) -> float:
    return scores["window"] / scores["source_length"]


def _findings() -> list[str]:
    more = [_of_flexible(row) - _of_global(row) for row in ROWS if row.with_global]
    less = [_of_ordered(row) - _of_flexible(row) for row in ROWS]
    windows = [recorded(row.ordered, selected(row.ordered)) for row in ROWS]
    missed = max(abs(_share(scores) / WINDOW - 1) for scores in windows)
    collapsed = sum(
        scores["window"] < COLLAPSED_WINDOW and lost < -COLLAPSED_LOSS
        for scores, lost in zip(windows, less, strict=True)
    )
    return [
        f"**Any text, flexible**: at τ = ∞ BLEU is {mean(more):+.2f} against global attention, on "
        f"the mean of {len(more)} texts. It is {min(more):+.2f} to {max(more):+.2f} (targets: at "
        "least -0.3 on the mean, and -1.0 on each).",
        f"**Any text, windows by order**: with windows of {WINDOW:g} of the source BLEU is "
        f"{mean(less):+.2f} against flexible attention, on the mean of {len(less)} texts. It is "
        f"{min(less):+.2f} to {max(less):+.2f} (target: at least -0.5 on the mean). {collapsed} "
        "runs collapsed. On the test set the windows miss the order by at most "
        f"{missed:.0%} of it (target: {LARGEST_ORDER_MISS:.0%}).",
    ]


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
