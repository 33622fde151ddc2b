"""Does a fine-grained or recurrent score keep its gain under a flexible span?

Half the width and half the training of Table 1's runs, because a fine-grained score has one for
each dimension.
"""

import math

from significance import p_value
from trained import Trained, announce, measured, write_part

CORPUS = "tatoeba_en_ja"
SCORES = {"concat": "concat", "fine-grained": "fine_grained", "recurrent": "recurrent"}
SPANS = ("global", "flexible")
THRESHOLD = 1.2
"""VS 5.2's for English–Japanese."""
SIZES = ("embedding", "encoder", "decoder", "attention", "bottleneck")
SMALLER = (
    *(option for size in SIZES for option in (f"--model.{size}-size", "128")),
    *("--training.epochs", "1", "--training.halve-from", "1.5", "--training.halve-every", "0.125"),
)


def _trained(score: str, span: str) -> Trained:
    options = ("--model.score", score, "--model.span", span, *SMALLER)
    return Trained(
        CORPUS, "small-words", variant=f"{score.replace('_', '-')}-{span}-128", options=options
    )


def main():
    """Writes results/scores.md."""
    runs = {(name, span): _trained(score, span) for name, score in SCORES.items() for span in SPANS}
    announce(list(runs.values()))
    columns = [("global", math.inf), ("flexible", math.inf), ("flexible", THRESHOLD)]
    lines = [
        "## Does a finer score keep its gain under a flexible span?",
        "",
        "| score | global | p | flexible, τ = ∞ | p | flexible, τ = 1.2 | p | window |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in SCORES:
        cells = []
        for span, threshold in columns:
            thresholds = [t for s, t in columns if s == span]
            trained, concat = runs[name, span], runs["concat", span]
            scores = measured(trained, (), thresholds)["test"][f"{threshold:g}"]
            p = (
                ""
                if trained is concat
                else f"{p_value((concat, threshold), (trained, threshold)):.3f}"
            )
            cells += [f"{scores['bleu']:.2f}", p]
        lines.append(
            f"| {name} | {' | '.join(cells)} | "
            f"{scores['window']:.2f} of {scores['source_length']:.2f} |"
        )
    lines += [
        "",
        "Test BLEU, English–Japanese words; 128 units and one epoch each, so a level below Table "
        "1. p: paired bootstrap against concat under the same span. Command: "
        "`python experiments/scores.py`.",
        "",
    ]
    write_part("scores", lines)


if __name__ == "__main__":
    main()
