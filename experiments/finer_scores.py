"""Does a fine-grained or recurrent score keep its gain in BLEU under a flexible span?"""

import math
from typing import Any

from drawing import drawn
from significance import SAMPLES, p_value
from system_table import UNITS, half
from trained import Trained, announce, measured, saved, shown, write_part

THRESHOLD = 1.2
"""VS 5.2's for English–Japanese."""
COLUMNS = (("global", math.inf), ("flexible", math.inf), ("flexible", THRESHOLD))
TRAINED = {
    "concat": {"global": half("small-words-global"), "flexible": half("small-words")},
    "fine-grained": {
        "global": half("small-words-atty2d"),
        "flexible": half("small-words", "fine-grained", "--model.score", "fine_grained"),
    },
    "recurrent": {
        "global": half("small-words-recurrent", "global", "--model.span", "global"),
        "flexible": half("small-words-recurrent"),
    },
}
RUNS = [trained for spans in TRAINED.values() for trained in spans.values()]
COLOURS = ("0.5", "#0072b2", "#d55e00")


def main():
    """Writes results/finer_scores.md and results/finer_scores.png."""
    _draw()
    lines = [
        "## Does a finer score keep its gain under a flexible span?",
        "",
        f"| score | global | flexible, τ = ∞ | flexible, τ = {THRESHOLD} | not scored |",
        "|---|---|---|---|---|",
    ]
    said = []
    for name, spans in TRAINED.items():
        scores = [_scores(spans[span], threshold) for span, threshold in COLUMNS]
        cells = [f"{found['bleu']:.2f}" for found in scores]
        if name != "concat":
            gains = [_gain(name, span, threshold) for span, threshold in COLUMNS]
            cells = [f"{bleu} ({gain})" for bleu, gain in zip(cells, gains, strict=True)]
            said.append(
                f"- **English–Japanese, {name} score**, BLEU against concat's: {gains[0]} with "
                f"global attention; {gains[1]} with flexible attention; {gains[2]} in its windows."
            )
        lines.append(f"| {name} | {' | '.join(cells)} | {saved(scores[-1]):.0%} |")
    lines += [
        "",
        *said,
        "",
        "![BLEU against window for each score](finer_scores.png)",
        "",
        f"Words, {UNITS} units, test BLEU, one training each, none fine-tuned; in brackets: more "
        f"than concat's with the same span, and p of a paired bootstrap of {SAMPLES:,} samples, "
        "which knows nothing of the noise of training. Fine-grained: a score for each dimension, "
        "which reads the word fed back, too. Recurrent: positions remember the weights they "
        "received. Command: `python experiments/finer_scores.py`.",
        "",
    ]
    write_part("finer_scores", lines)


def _draw():
    with drawn("finer_scores", 7) as axes:
        for (name, spans), colour in zip(TRAINED.items(), COLOURS, strict=True):
            found = [_scores(spans[span], threshold) for span, threshold in COLUMNS]
            windows, bleus = ([scores[key] for scores in found] for key in ("window", "bleu"))
            axes.plot(windows[0], bleus[0], "s", color=colour, label=f"{name}, global")
            axes.plot(windows[1:], bleus[1:], "o-", color=colour, label=f"{name}, flexible")
        axes.set_xlabel(f"average window (words); dots: τ = ∞, {THRESHOLD}")
        axes.set_ylabel("BLEU (test set)")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)


def _scores(trained: Trained, threshold: float) -> dict[str, Any]:
    return measured(trained, test=(threshold,))["test"][shown(threshold)]


def _gain(name: str, span: str, threshold: float) -> str:
    """Over concat with the same span: `+0.31, p = 0.040`."""
    trained, concat = TRAINED[name][span], TRAINED["concat"][span]
    gain = _scores(trained, threshold)["bleu"] - _scores(concat, threshold)["bleu"]
    return f"{gain:+.2f}, p = {p_value((concat, threshold), (trained, threshold)):.3f}"


if __name__ == "__main__":
    announce(RUNS)
    main()
