"""Rows of VS Tables 1 and 2: windows and scores of the same model, global, local and flexible."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from significance import SAMPLES, p_value
from trained import Trained, announce, measured, selected

from fa_jax.evaluation.selection import LARGEST_LOSS


@dataclass(frozen=True)
class Row:
    """A system at a threshold, on the test set. p: of a bootstrap against flexible at τ = ∞."""

    system: str
    trained: Trained
    threshold: float
    scores: dict[str, Any]
    p: float | None = None


def runs_of(corpus: str, preset: str) -> dict[str, Trained]:
    flexible = Trained(corpus, preset)
    return {
        "global": Trained(corpus, f"{preset}-global"),
        "local-p": Trained(corpus, f"{preset}-local-p"),
        "flexible": flexible,
        "fine-tuned": Trained(corpus, preset, finetuned=True),
    }


def rows_of(corpus: str, preset: str, local: bool = True) -> list[Row]:
    """Global, local-p, flexible without and with its threshold, and fine-tuned likewise."""
    runs = runs_of(corpus, preset)
    if not local:
        del runs["local-p"]
    announce(list(runs.values()))
    rows = []
    for name, trained in runs.items():
        if name in ("global", "local-p"):
            record = measured(trained)
            rows.append(Row(name, trained, math.inf, record["test"]["inf"]))
            continue
        thresholds = tuple(dict.fromkeys((math.inf, selected(trained))))
        record = measured(trained, test=thresholds)
        rows += [Row(name, trained, t, record["test"][f"{t:g}"]) for t in thresholds]
    return [_with_p(row, rows) for row in rows]


def _with_p(row: Row, rows: Sequence[Row]) -> Row:
    (reference,) = [r for r in rows if r.system == "flexible" and math.isinf(r.threshold)][:1]
    if row is reference:
        return row
    p = p_value(*((of.trained, of.threshold) for of in (reference, row)))
    return Row(**vars(row) | {"p": p})


def table(rows: Sequence[Row], paper: dict[str, str], window_of: str) -> list[str]:
    """Markdown lines. paper: a row's window, BLEU and RIBES there, by system and threshold."""
    lines = [
        "| system | τ | window | below global | BLEU | RIBES | p | paper: window, BLEU, RIBES |",
        "|---|---|---|---|---|---|---|---|",
    ]
    whole = rows[0].scores["source_length"]
    for row in rows:
        scores = row.scores
        saved = 1 - scores["window"] / scores["source_length"]
        threshold = "∞" if math.isinf(row.threshold) else f"{row.threshold:g}"
        shown = "" if row.system == "global" else f"{saved:.0%}"
        p = "" if row.p is None else f"{row.p:.3f}"
        key = row.system if row.system in ("global", "local-p") else (
            f"{row.system} ∞" if threshold == "∞" else f"{row.system} τ"
        )  # fmt: skip
        lines.append(
            f"| {row.system} | {threshold} | {scores['window']:.2f} | {shown} | "
            f"{scores['bleu']:.2f} | {scores['ribes']:.3f} | {p} | {paper.get(key, '')} |"
        )
    lines += [
        "",
        f"Windows in {window_of}; {whole:.2f} is what global attention scores a step. *Below "
        "global*: of the same calls' own source lengths. BLEU: sacrebleu "
        f"`{rows[0].scores['bleu_signature']}`, test set of {rows[0].scores['sentences']:,}, beam "
        f"{rows[0].scores['beam_size']}. p: paired bootstrap of {SAMPLES:,} samples against "
        "flexible τ = ∞. τ is chosen on the development set: the smallest window that loses at "
        "most 0.5 BLEU against the same run's τ = ∞.",
    ]
    return lines


def verdict(title: str, rows: Sequence[Row], wanted: float) -> list[str]:
    """What the rows say of the paper's claims; a line that begins with `- **` each.

    wanted: the share of positions that the paper leaves out.
    """
    by = {(row.system, math.isinf(row.threshold)): row for row in rows}
    free, flexible, everything = by["fine-tuned", True], by["flexible", True], by["global", True]
    tuned = by.get(("fine-tuned", False), free)
    saved = 1 - tuned.scores["window"] / tuned.scores["source_length"]
    lost = free.scores["bleu"] - tuned.scores["bleu"]
    p = p_value(*((row.trained, row.threshold) for row in (free, tuned)))
    gained = tuned.scores["bleu"] - flexible.scores["bleu"]
    narrow, cheap = saved >= wanted, lost <= LARGEST_LOSS
    return [
        f"- **{title}, fine-tuned**, τ = {tuned.threshold:g}: **{saved:.0%}** of the positions are "
        f"not scored (wanted: at least {wanted:.0%}; {_met(narrow)}). BLEU: {-lost:+.2f} against "
        f"the same model at τ = ∞ (p = {p:.3f}; wanted: at least -{LARGEST_LOSS}; {_met(cheap)}), "
        f"{gained:+.2f} against flexible τ = ∞ before fine-tuning."
        + ("" if narrow and cheap else _other_thresholds(tuned.trained, wanted)),
        f"- **{title}, flexible** at τ = ∞ is "
        f"{flexible.scores['bleu'] - everything.scores['bleu']:+.2f} BLEU from global "
        f"(p = {everything.p:.3f}).",
    ]


def _met(wish: bool) -> str:
    return "met" if wish else "missed"


def _other_thresholds(trained: Trained, wanted: float) -> str:
    """Where on the test set, of what was measured, both wishes hold."""
    found = measured(trained)["test"]
    free = found["inf"]["bleu"]
    both = [
        f"τ = {threshold} ({saved:.0%}, {scores['bleu'] - free:+.2f})"
        for threshold, scores in found.items()
        if (saved := 1 - scores["window"] / scores["source_length"]) >= wanted
        and free - scores["bleu"] <= LARGEST_LOSS
    ]
    return (
        f" On the test set both hold at {', '.join(both)}." if both else " No threshold has both."
    )
