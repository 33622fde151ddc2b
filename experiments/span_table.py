"""Rows of VS Tables 1 and 2: windows and scores of the same model, global, local and flexible."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from trained import LANGUAGES, Trained, announce, measured, selected, translations

from fa_jax.data.corpora import load_corpus
from fa_jax.evaluation.scores import BLEU_TOKENIZERS

SAMPLES = 1000


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
        thresholds = (math.inf, selected(trained))
        record = measured(trained, test=thresholds)
        rows += [Row(name, trained, t, record["test"][f"{t:g}"]) for t in thresholds]
    return [_with_p(row, rows) for row in rows]


def _with_p(row: Row, rows: Sequence[Row]) -> Row:
    (reference,) = [r for r in rows if r.system == "flexible" and math.isinf(r.threshold)][:1]
    if row is reference:
        return row
    corpus = row.trained.corpus
    pairs = load_corpus(corpus, LANGUAGES[corpus]).test
    return Row(**vars(row) | {"p": p_value(corpus, [t for _, t in pairs], reference, row)})


def p_value(corpus: str, references: list[str], a: Row, b: Row) -> float:
    """Of paired bootstrap resampling (Koehn 2004), by sacrebleu with a fixed seed."""
    tokenizer = BLEU_TOKENIZERS.get(LANGUAGES[corpus].split("-")[1], "13a")
    named = [(name, translations(r.trained, r.threshold)) for name, r in (("a", a), ("b", b))]
    metric = {"BLEU": BLEU(references=[references], tokenize=tokenizer)}
    test = PairedTest(named, metric, None, test_type="bs", n_samples=SAMPLES)
    _, scores = test()
    return float(scores["BLEU"][1].p_value)


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


def verdict(rows: Sequence[Row], wanted: float) -> list[str]:
    """What the rows say of the paper's claims."""
    by = {(row.system, math.isinf(row.threshold)): row for row in rows}
    tuned = by.get(("fine-tuned", False), by["fine-tuned", True])
    free, flexible, everything = by["fine-tuned", True], by["flexible", True], by["global", True]
    saved = 1 - tuned.scores["window"] / tuned.scores["source_length"]
    lost = free.scores["bleu"] - tuned.scores["bleu"]
    gained = flexible.scores["bleu"] - everything.scores["bleu"]
    against = flexible.scores["bleu"] - tuned.scores["bleu"]
    return [
        f"- Fine-tuned, τ = {tuned.threshold:g}: **{saved:.0%}** of the positions are not scored "
        f"(wanted: at least {wanted:.0%}; {'met' if saved >= wanted else 'missed'}), at "
        f"{lost:+.2f} BLEU lost against the same model at τ = ∞ (wanted: at most 0.5; "
        f"{'met' if lost <= 0.5 else 'missed'}) and {against:+.2f} against flexible τ = ∞ before "
        "fine-tuning.",
        f"- Flexible at τ = ∞ is {gained:+.2f} BLEU from global (p = {everything.p:.3f}).",
    ]
