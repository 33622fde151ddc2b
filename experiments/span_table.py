"""Rows of VS Tables 1 and 2: windows and scores of the same model, global, local and flexible."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from significance import SAMPLES, p_value
from trained import SWEEP, Trained, measured, saved, selected, shown, windowed

from fa_jax.evaluation.selection import LARGEST_LOSS, THRESHOLDS
from fa_jax.presets import finetuning, preset


@dataclass(frozen=True)
class Row:
    """A system at a threshold, on the test set. p: of a bootstrap against flexible at τ = ∞."""

    system: str
    trained: Trained
    threshold: float
    scores: dict[str, Any]
    p: float | None = None

    @property
    def place(self) -> str:
        """In the paper's table: `global`, `flexible ∞`, `flexible τ`."""
        if self.system in ("global", "local-p"):
            return self.system
        return f"{self.system} {'∞' if math.isinf(self.threshold) else 'τ'}"


def rows_of(runs: dict[str, Trained]) -> list[Row]:
    """Global and local once, flexible and fine-tuned at τ = ∞ and at their own τ."""
    rows = []
    for name, trained in runs.items():
        thresholds = (math.inf,)
        if name in ("flexible", "fine-tuned"):
            thresholds = (math.inf, windowed(trained))
        found = measured(trained, test=thresholds)["test"]
        rows += [Row(name, trained, t, found[shown(t)]) for t in thresholds]
    (flexible,) = (row for row in rows if row.place == "flexible ∞")
    return [row if row is flexible else replace(row, p=_p(flexible, row)) for row in rows]


def table(rows: Sequence[Row], paper: dict[str, str], window_of: str) -> list[str]:
    """Markdown lines. paper: a row's window, BLEU and RIBES there, by its place."""
    lines = [
        "| system | τ | window | not scored | BLEU | RIBES | p | paper: window, BLEU, RIBES |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        scores = row.scores
        cells = (
            row.system,
            "∞" if math.isinf(row.threshold) else shown(row.threshold),
            f"{scores['window']:.2f}",
            "" if row.system == "global" else f"{saved(scores):.0%}",
            f"{scores['bleu']:.2f}",
            f"{scores['ribes']:.3f}",
            "" if row.p is None else f"{row.p:.3f}",
            paper.get(row.place, ""),
        )
        lines.append(f"| {' | '.join(cells)} |")
    scores = rows[0].scores
    return [
        *lines,
        "",
        f"Windows in {window_of}, of {scores['source_length']:.2f} that global attention scores a "
        "step; *not scored*: of what the same calls could have scored. BLEU: sacrebleu "
        f"`{scores['bleu_signature']}`, {scores['sentences']:,} test sentences, beam "
        f"{scores['beam_size']}. p: sacrebleu's paired bootstrap of {SAMPLES:,} samples against "
        "flexible τ = ∞; one training each, so p knows nothing of the noise of training. τ: the "
        f"smallest window that loses at most {LARGEST_LOSS} BLEU on the development set against "
        f"the same run's τ = ∞.{_unmet(rows)} {_recipe(rows)}",
    ]


def verdict(title: str, rows: Sequence[Row], wanted: float) -> list[str]:
    """What the rows say of the paper's claims; a line that begins with `- **` each.

    wanted: the share of positions that the paper leaves out.
    """
    by = {row.place: row for row in rows}
    free, tuned = by["fine-tuned ∞"], by["fine-tuned τ"]
    lost = free.scores["bleu"] - tuned.scores["bleu"]
    gained = tuned.scores["bleu"] - by["flexible ∞"].scores["bleu"]
    narrow, cheap = saved(tuned.scores) >= wanted, lost <= LARGEST_LOSS
    lines = [
        f"- **{title}, fine-tuned**, τ = {shown(tuned.threshold)}: **{saved(tuned.scores):.0%}** "
        f"of the positions are not scored (wanted: at least {wanted:.0%}; {_met(narrow)}). BLEU: "
        f"{-lost:+.2f} against the same model at τ = ∞ (p = {_p(free, tuned):.3f}; wanted: at "
        f"least -{LARGEST_LOSS}; {_met(cheap)}), {gained:+.2f} against flexible τ = ∞ before "
        "fine-tuning, which trained an epoch less."
        + ("" if narrow and cheap else _other_thresholds(tuned.trained, wanted))
    ]
    if everything := by.get("global"):
        more = by["flexible ∞"].scores["bleu"] - everything.scores["bleu"]
        lines.append(
            f"- **{title}, flexible** at τ = ∞ is {more:+.2f} BLEU from global "
            f"(p = {everything.p:.3f})."
        )
    return lines


def _unmet(rows: Sequence[Row]) -> str:
    narrowed = [row for row in rows if row.place.endswith("τ")]
    unmet = [row.system for row in narrowed if math.isinf(selected(row.trained))]
    if not unmet:
        return ""
    return f" None of {THRESHOLDS[0]} … {THRESHOLDS[-1]} does for {', '.join(unmet)}."


def _recipe(rows: Sequence[Row]) -> str:
    """How fine-tuning differs from the paper's."""
    trained = next(row.trained for row in rows if row.system == "fine-tuned")
    before = preset(trained.preset, trained.languages, trained.corpus)
    tuned = finetuning(before)
    wider = "" if tuned.model.sigma == before.model.sigma else f"σ = {tuned.model.sigma:g} and "
    return (
        f"Fine-tuned: one more epoch, of Eq. 9 with {wider}β = {tuned.training.beta}, in which "
        f"attention sees the windows of τ = {tuned.training.threshold} alone (the paper's sees all "
        "positions)."
    )


def _p(reference: Row, other: Row) -> float:
    return p_value(*((row.trained, row.threshold) for row in (reference, other)))


def _met(wish: bool) -> str:
    return "met" if wish else "missed"


def _other_thresholds(trained: Trained, wanted: float) -> str:
    """Where on the test set both wishes hold."""
    found = measured(trained, test=SWEEP)["test"]
    free = found["inf"]["bleu"]
    both = [
        f"τ = {shown(t)} ({saved(scores):.0%}, {scores['bleu'] - free:+.2f})"
        for t in SWEEP
        if saved(scores := found[shown(t)]) >= wanted and free - scores["bleu"] <= LARGEST_LOSS
    ]
    return f" On the test set both hold at {', '.join(both) or 'none of Figure 3'}."
