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
    """A row. against: the name of the row that it adds to; paper: its BLEU there."""

    name: str
    trained: Trained
    paper: str
    against: str = ""


def half(preset: str, variant: str = "", *options: str) -> Trained:
    """Of half the width."""
    named = f"half-{variant}" if variant else "half"
    return Trained(CORPUS, preset, variant=named, options=(*HALF, *options))


def table(systems: Sequence[System]) -> list[str]:
    """Markdown lines."""
    found = {row.name: measured(row.trained)["test"]["inf"] for row in systems}
    runs = {row.name: row.trained for row in systems}
    lines = [
        "| system | BLEU | more than | by | p | RIBES | paper: BLEU |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in systems:
        scores = found[row.name]
        gain, p = "", ""
        if row.against:
            gain = f"{scores['bleu'] - found[row.against]['bleu']:+.2f}"
            p = f"{p_value((runs[row.against], math.inf), (row.trained, math.inf)):.3f}"
        lines.append(
            f"| {row.name} | {scores['bleu']:.2f} | {row.against} | {gain} | {p} | "
            f"{scores['ribes']:.3f} | {row.paper} |"
        )
    return [
        *lines,
        "",
        f"English–Japanese, {scores['sentences']:,} test sentences, beam {scores['beam_size']}, "
        f"BLEU: sacrebleu `{scores['bleu_signature']}`. {UNITS} units, one training "
        f"each: these numbers compare with one another alone. p: paired bootstrap of {SAMPLES:,} "
        "samples; it knows nothing of the noise of training.",
    ]
