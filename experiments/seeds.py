"""Do the windows cost BLEU beyond the noise of training? Three seeds, English–Japanese, words."""

import math

import numpy as np
from trained import Trained, announce, measured, selected, write_part

SEEDS = (0, 1, 2)
COLUMNS = ("flexible, τ = ∞", "flexible, τ", "fine-tuned, τ = ∞", "fine-tuned, τ")


def main():
    """Writes results/seeds.md."""
    pairs = [
        [Trained("tatoeba_en_ja", "small-words", seed, finetuned) for finetuned in (False, True)]
        for seed in SEEDS
    ]
    announce([trained for pair in pairs for trained in pair])
    bleu, window, lines = [], [], []
    for seed, pair in zip(SEEDS, pairs, strict=True):
        scores = []
        for trained in pair:
            thresholds = (math.inf, selected(trained))
            record = measured(trained, test=thresholds)
            scores += [record["test"][f"{threshold:g}"] for threshold in thresholds]
        bleu.append([found["bleu"] for found in scores])
        window.append([1 - found["window"] / found["source_length"] for found in scores])
        cells = [f"{b:.2f} ({w:.0%})" for b, w in zip(bleu[-1], window[-1], strict=True)]
        lines.append(f"| {seed} | " + " | ".join(cells) + " |")
    mean = [
        f"**{np.mean(b):.2f} ± {np.std(b, ddof=1):.2f}** ({np.mean(w):.0%})"
        for b, w in zip(zip(*bleu, strict=True), zip(*window, strict=True), strict=True)
    ]
    lines.append("| mean ± standard deviation | " + " | ".join(mean) + " |")
    differences = np.array(bleu)[:, 1:] - np.array(bleu)[:, :1]
    said = [
        f"{name}: {d.mean():+.2f} ± {d.std(ddof=1):.2f}"
        for name, d in zip(COLUMNS[1:], differences.T, strict=True)
    ]
    text = [
        "## Three seeds",
        "",
        "Test BLEU (share of positions not scored), English–Japanese, words.",
        "",
        "| seed | " + " | ".join(COLUMNS) + " |",
        "|---" * 5 + "|",
        *lines,
        "",
        f"Against flexible τ = ∞ of the same seed: {'; '.join(said)}. Command: "
        "`python experiments/seeds.py`.",
        "",
    ]
    write_part("seeds", text)


if __name__ == "__main__":
    main()
