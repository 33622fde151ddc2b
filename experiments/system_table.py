"""Tables of systems that differ in one thing each: what the thing is worth in BLEU."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from significance import SAMPLES, p_value
from trained import HALF, Trained, measured

CORPUS = "tatoeba_en_ja"
UNITS = HALF[HALF.index("--model.encoder-size") + 1]


@dataclass(frozen=True)
class System:
    """A row. against: the name of the row that it adds to; paper: its BLEU, English–German."""

    name: str
    trained: Trained
    paper: float
    against: str = ""


def half(preset: str, variant: str = "", *options: str) -> Trained:
    """Of half the width."""
    named = f"half-{variant}" if variant else "half"
    return Trained(CORPUS, preset, variant=named, options=(*HALF, *options))


def table(title: str, systems: Sequence[System]) -> list[str]:
    """Markdown lines; the last begins with `- **` and compares each gain with the paper's."""
    rows = {row.name: row for row in systems}
    found = {row.name: measured(row.trained)["test"]["inf"] for row in systems}
    lines = [
        "| system | BLEU | more than | by | p | RIBES | paper: BLEU | by |",
        "|---|---|---|---|---|---|---|---|",
    ]
    gains = []
    for row in systems:
        scores = found[row.name]
        gain, p, theirs = "", "", ""
        if row.against:
            reference = rows[row.against]
            gain = f"{scores['bleu'] - found[row.against]['bleu']:+.2f}"
            p = f"{p_value((reference.trained, math.inf), (row.trained, math.inf)):.3f}"
            theirs = f"{row.paper - reference.paper:+.2f}"
            gains.append(f"{row.name} {gain} ({theirs})")
        lines.append(
            f"| {row.name} | {scores['bleu']:.2f} | {row.against} | {gain} | {p} | "
            f"{scores['ribes']:.3f} | {row.paper:.2f} | {theirs} |"
        )
    return [
        *lines,
        "",
        f"English–Japanese, {scores['sentences']:,} test sentences, beam {scores['beam_size']}, "
        f"BLEU: sacrebleu `{scores['bleu_signature']}`. {UNITS} units, one training "
        f"each: these numbers compare with one another alone. p: paired bootstrap of {SAMPLES:,} "
        "samples; it knows nothing of the noise of training.",
        "",
        f"- **{title}**, what each part adds in BLEU (in the paper): {', '.join(gains)}.",
    ]
