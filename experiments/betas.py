"""What does fine-tuning with each β of VS 5.2 do to g(t), to the windows and to BLEU?"""

import math
from collections.abc import Iterable

import numpy as np
from drawing import drawn
from trained import Trained, announce, measured, saved, shown, windowed, write_part

from fa_jax.evaluation.selection import THRESHOLDS

BETAS = (0.0001, 0.001, 0.1)
CORPUS, PRESET = "bible_de_en", "small-words"


def _finetuned(beta: float) -> Trained:
    """As the paper does it: attention sees all positions."""
    options = ("--training.beta", f"{beta:g}", "--training.threshold", "inf")
    return Trained(CORPUS, PRESET, finetuned=True, variant=f"beta-{beta:g}", options=options)


SYSTEMS = {
    "not fine-tuned": Trained(CORPUS, PRESET),
    **{f"β = {beta:g}": _finetuned(beta) for beta in BETAS},
    "β = 0.1, in windows": Trained(CORPUS, PRESET, finetuned=True),
}
RUNS = SYSTEMS.values()
COLOURS = ("0.5", "#56b4e9", "#009e73", "#0072b2", "#d55e00")
DRAWN = (*THRESHOLDS, math.inf)


def main():
    """Writes results/betas.md and results/betas.png."""
    lines = [
        "## What does fine-tuning with each β do?",
        "",
        "| | g(t) at the end | BLEU, τ = ∞ | τ | BLEU | window | not scored |",
        "|---|---|---|---|---|---|---|",
    ]
    found = {}
    with drawn("betas", 7) as axes:
        for (name, trained), colour in zip(SYSTEMS.items(), COLOURS, strict=True):
            threshold = windowed(trained)
            record = measured(trained, DRAWN, (math.inf, threshold))
            free, narrow = record["test"]["inf"], record["test"][shown(threshold)]
            found[name] = {"strength": _last_strength(record), **narrow}
            lines.append(
                f"| {name} | {found[name]['strength']:.2f} | {free['bleu']:.2f} | "
                f"{shown(threshold)} | {narrow['bleu']:.2f} | {narrow['window']:.2f} | "
                f"{saved(narrow):.0%} |"
            )
            scores = [record["validation"][shown(t)] for t in DRAWN]
            points = [[of[key] for of in scores] for key in ("window", "bleu")]
            axes.plot(*points, "o-", ms=4, color=colour, label=name)
        axes.set_xlabel(f"average window (words); dots: τ = {', '.join(map(str, THRESHOLDS))}, ∞")
        axes.set_ylabel("BLEU (development set)")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    *tuned, in_windows = list(found.values())[1:]
    ranges = {
        key: _range(scores[key] for scores in tuned) for key in ("strength", "window", "bleu")
    }
    lines += [
        "",
        f"- **Each β** from {BETAS[0]} to {BETAS[-1]}: g(t) ends at {ranges['strength']}, windows "
        f"are {ranges['window']} words, BLEU {ranges['bleu']}, each at its τ. Where attention sees "
        f"its windows alone while it is fine-tuned: {in_windows['window']:.2f} words, "
        f"{in_windows['bleu']:.2f} BLEU.",
        "",
        "![BLEU against window for each β](betas.png)",
        "",
        "German–English, words; one epoch of Eq. 9 each, as the paper does it, attention to all "
        "positions; in the last row, which is Table 1's, attention sees the windows of τ = 1.2 "
        "alone. g(t): mean of the last tenth of training. In the table: test set, τ as in Table 1; "
        "in the figure: development set. Command: `python experiments/betas.py`.",
        "",
    ]
    write_part("betas", lines)


def _last_strength(record: dict) -> float:
    strength = [row["strength"] for row in record["training"] if "strength" in row]
    return float(np.mean(strength[-max(1, len(strength) // 10) :]))


def _range(values: Iterable[float]) -> str:
    low, *_, high = sorted(values)
    return f"{low:.2f} to {high:.2f}"


if __name__ == "__main__":
    announce(RUNS)
    main()
