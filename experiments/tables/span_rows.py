"""Rows of VS Tables 1 and 2: windows and scores of the same model, global, local and flexible."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from experiments.measuring.kept_translations import SAMPLES, p_value, written
from experiments.measuring.records import (
    LEARNT_IN,
    record_of,
    recorded,
    saved,
    selected,
    windowed,
)
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.tables.part import Part, bullets, rows_as_table, threshold_cell
from fa_jax.evaluation.selection import LARGEST_LOSS, THRESHOLDS
from fa_jax.finetuning_settings import THRESHOLD

NARROWED = ("flexible", "in windows")
"""Systems whose rows are two: at τ = ∞ and at their own τ."""
EQUALLY_LONG = (
    "All systems were trained equally long, by `fa-jax train`. *In windows*: flexible attention "
    "that learnt the second half in windows of τ = {learnt:g}, by Eq. 9, as the command does "
    "by itself; the paper fine-tunes by Eq. 9 with all positions scored. *Flexible*: all of it "
    "with all positions scored."
)
LOCAL_P_LOSS = 1.0
"""BLEU that local-p may be below global attention."""


@dataclass(frozen=True)
class Row:
    """A system at a threshold, on the test set. p: of a bootstrap against flexible at τ = ∞."""

    system: str
    run: StudyRun
    threshold: float
    scores: dict[str, Any]
    p: float | None = None

    @property
    def place(self) -> str:
        """In the paper's table: `global`, `flexible ∞`, `flexible τ`."""
        if self.system not in NARROWED:
            return self.system
        return f"{self.system} {'∞' if math.isinf(self.threshold) else 'τ'}"


def systems_of(corpus: str, size: str, *others: str) -> dict[str, StudyRun]:
    """Others of a size, and flexible attention without windows and in them, trained equally
    long."""
    flexible = StudyRun(corpus, size)
    return {
        **{name: StudyRun(corpus, f"{size}-{name}") for name in others},
        "flexible": flexible.whole,
        "in windows": flexible,
    }


def wanted(systems: Mapping[str, StudyRun]) -> list[Scores]:
    """What `rows_of` reads."""
    return [Scores(run, own_threshold=name in NARROWED) for name, run in systems.items()]


def span_part(
    name: str,
    title: str,
    systems: Mapping[str, StudyRun],
    paper: Mapping[str, str],
    least: float,
    units: str,
    notes: str = "",
) -> Part:
    """A table of the paper, from records. title: its number, and what it is about. least: as of
    `findings`. units: of sources, as readers call them. What is not measured yet is left out, and
    said."""
    missing = [one for one, of in zip(systems, wanted(systems)) if not of.is_recorded()]
    rows = rows_of({one: run for one, run in systems.items() if one not in missing})
    found = findings(title.split(": ")[1], rows, least)
    lines = [*table(rows, paper, units), "", *bullets(found)]
    notes += f"Not trained yet: {', '.join(missing)}. " * bool(missing)
    notes += "Each run's own command is in `experiments/results/records/runs`."
    return Part(name, title, lines, notes, found)


def rows_of(systems: Mapping[str, StudyRun]) -> list[Row]:
    """Global and local once, flexible and in windows at τ = ∞ and at their own τ."""
    rows = []
    for name, run in systems.items():
        thresholds = (math.inf, windowed(run)) if name in NARROWED else (math.inf,)
        rows += [Row(name, run, t, recorded(run, t)) for t in thresholds]
    (flexible,) = (row for row in rows if row.place == "flexible ∞")
    return [row if row is flexible else replace(row, p=_p(flexible, row)) for row in rows]


def table(rows: Sequence[Row], paper: Mapping[str, str], window_of: str) -> list[str]:
    """Markdown lines. paper: a row's window, BLEU and RIBES there, by its place."""
    head = ("system", "τ", "window", "not scored", "BLEU", "RIBES", "p")
    scores = rows[0].scores
    narrowed = next(row.run for row in rows if row.system == "in windows")
    learnt = record_of(narrowed).get(LEARNT_IN, THRESHOLD)
    return [
        *rows_as_table(
            (*head, "paper: window, BLEU, RIBES"),
            ((*_cells(row), paper.get(row.place, "")) for row in rows),
        ),
        "",
        f"*Window*: {window_of} scored at a step, on average. Global attention scores "
        f"{scores['source_length']:.2f}. *Not scored*: the share left out, of all positions that "
        f"the same steps could have scored. *BLEU*: sacrebleu `{scores['bleu_signature']}`, "
        f"{scores['sentences']:,} test sentences, beam {scores['beam_size']}. *p*: sacrebleu's "
        f"paired bootstrap of {SAMPLES:,} samples, against flexible at τ = ∞. Each row is one "
        "training, and p does not know the noise of training. *τ*: the one with the smallest "
        f"window that loses at most {LARGEST_LOSS} BLEU on the development set, against the same "
        f"run at τ = ∞.{_unmet(rows)} {EQUALLY_LONG.format(learnt=learnt)}",
    ]


def findings(title: str, rows: Sequence[Row], least: float) -> list[str]:
    """What the rows say of the paper's claims. least: the share that the paper leaves out."""
    by = {row.place: row for row in rows}
    flexible = by["flexible ∞"]
    narrowed = [by[f"{system} τ"] for system in NARROWED]
    found = [_narrowed(title, flexible, row, least) for row in narrowed]
    if everything := by.get("global"):
        found.append(
            f"**{title}, flexible**: at τ = ∞ BLEU is {_gained(everything, flexible):+.2f} against "
            f"global (p = {everything.p:.3f})."
        )
    if everything and (local := by.get("local-p")):
        gained = _gained(everything, local)
        found.append(
            f"**{title}, local-p**: BLEU is {gained:+.2f} against global (target: at least "
            f"-{LOCAL_P_LOSS}; {_met(gained >= -LOCAL_P_LOSS)})."
        )
    return found


def _narrowed(title: str, flexible: Row, row: Row, least: float) -> str:
    """What a row's windows leave out and cost, against flexible attention at τ = ∞."""
    lost = _gained(flexible, row)
    return (
        f"**{title}, {row.system}**, τ = {threshold_cell(row.threshold)}: "
        f"**{saved(row.scores):.0%}** of the positions are not scored (target: at least "
        f"{least:.0%}; {_met(saved(row.scores) >= least)}). BLEU is {lost:+.2f} against flexible "
        f"at τ = ∞, trained as long (p = {row.p:.3f}; target: at least -{LARGEST_LOSS}; "
        f"{_met(lost >= -LARGEST_LOSS)}).{_without_penalty(flexible, row)}"
    )


def _gained(before: Row, after: Row) -> float:
    return after.scores["bleu"] - before.scores["bleu"]


def _cells(row: Row) -> tuple[str, ...]:
    scores = row.scores
    return (
        row.system,
        threshold_cell(row.threshold),
        f"{scores['window']:.2f}",
        "" if row.system == "global" else f"{saved(scores):.0%}",
        f"{scores['bleu']:.2f}",
        f"{scores['ribes']:.3f}",
        "" if row.p is None else f"{row.p:.3f}",
    )


def _without_penalty(free: Row, tuned: Row) -> str:
    """Where BLEU has a penalty for short translations: what the threshold costs without it."""
    at_free, at_tau = (written(row.run, row.threshold) for row in (free, tuned))
    if min(at_free.length, at_tau.length) >= 1:
        return ""
    return (
        " Without BLEU's penalty for short translations it is "
        f"{at_tau.precise_bleu - at_free.precise_bleu:+.2f}. The run writes "
        f"{at_free.length:.3f} of the references' words at τ = ∞, and {at_tau.length:.3f} in its "
        "windows."
    )


def _unmet(rows: Sequence[Row]) -> str:
    narrowed = [row for row in rows if row.place.endswith("τ")]
    unmet = [row.system for row in narrowed if math.isinf(selected(row.run))]
    if not unmet:
        return ""
    tried = f"{THRESHOLDS[0]} … {THRESHOLDS[-1]}"
    return f" For {', '.join(unmet)} none of {tried} loses so little; the largest is shown."


def _p(reference: Row, other: Row) -> float:
    return p_value(*((row.run, row.threshold) for row in (reference, other)))


def _met(wish: bool) -> str:
    return "met" if wish else "missed"
