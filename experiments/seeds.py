"""Do the windows cost BLEU beyond the noise of training? Three seeds, German–English, words."""

import math

import numpy as np
from scipy import stats
from trained import Trained, announce, measured, saved, shown, windowed, write_part

SEEDS = (0, 1, 2)
SYSTEMS = {"flexible": False, "fine-tuned": True}
TRAINED = {
    name: [Trained("bible_de_en", "small-words", seed, finetuned) for seed in SEEDS]
    for name, finetuned in SYSTEMS.items()
}
RUNS = [trained for runs in TRAINED.values() for trained in runs]


def main():
    """Writes results/seeds.md."""
    lines = [
        "## Three seeds",
        "",
        "| | seed | BLEU, τ = ∞ | τ | BLEU | not scored | τ − ∞ |",
        "|---|---|---|---|---|---|---|",
    ]
    said = []
    for name, runs in TRAINED.items():
        differences = []
        for trained in runs:
            threshold = windowed(trained)
            found = measured(trained, test=(math.inf, threshold))["test"]
            free, narrow = found["inf"], found[shown(threshold)]
            differences.append(narrow["bleu"] - free["bleu"])
            lines.append(
                f"| {name} | {trained.seed} | {free['bleu']:.2f} | {shown(threshold)} | "
                f"{narrow['bleu']:.2f} | {saved(narrow):.0%} | {differences[-1]:+.2f} |"
            )
        said.append(_verdict(name, np.array(differences)))
    lines += [
        "",
        *said,
        "",
        "German–English, words; test set. Intervals: Student's t over the seeds. τ as in Table 1. "
        "Command: `python experiments/seeds.py`.",
        "",
    ]
    write_part("seeds", lines)


def _verdict(name: str, differences: np.ndarray) -> str:
    mean, error = differences.mean(), stats.sem(differences)
    low, high = stats.t.interval(0.95, len(differences) - 1, mean, error)
    noise = "within" if low <= 0 <= high else "beyond"
    return (
        f"- **Seeds, {name}**: τ costs {-mean:.2f} BLEU against τ = ∞ of the same seed (95% of "
        f"τ − ∞: {low:+.2f} to {high:+.2f}), {noise} the noise of {len(differences)} trainings."
    )


if __name__ == "__main__":
    announce(RUNS)
    main()
