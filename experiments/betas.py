"""What does fine-tuning with each β of VS 5.2 do to g(t), to the windows and to BLEU?"""

import math

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from trained import RESULTS, Trained, announce, measured, selected, write_part

from fa_jax.evaluation.selection import THRESHOLDS
from fa_jax.presets import SHORT_SENTENCES

CORPUS, PRESET = "tatoeba_en_ja", "small-words"
RUNS_OF_BETA = {
    "none (not fine-tuned)": Trained(CORPUS, PRESET),
    **{
        f"{beta:g}": Trained(
            CORPUS,
            PRESET,
            finetuned=True,
            variant=f"beta-{beta:g}",
            options=("--training.beta", f"{beta:g}"),
        )
        for beta in (0.0001, 0.001)
    },
    "0.1": Trained(CORPUS, PRESET, finetuned=True),
}
COLOURS = ("0.5", "#56b4e9", "#0072b2", "#d55e00")
DRAWN = (*THRESHOLDS, math.inf)


def main():
    """Writes results/betas.md and results/betas.png."""
    announce(list(RUNS_OF_BETA.values()))
    lines = [
        "## What does fine-tuning with each β do?",
        "",
        "| β | g(t) at the end of training | BLEU, τ = ∞ | τ | BLEU | window | not scored |",
        "|---|---|---|---|---|---|---|",
    ]
    records = {}
    for name, trained in RUNS_OF_BETA.items():
        threshold = selected(trained)
        record = records[name] = measured(trained, DRAWN, (math.inf, threshold))
        free, found = record["test"]["inf"], record["test"][f"{threshold:g}"]
        strength = [row["strength"] for row in record["training"] if "strength" in row][-1]
        shown = "∞" if math.isinf(threshold) else f"{threshold:g}"
        lines.append(
            f"| {name} | {strength:.2f} | {free['bleu']:.2f} | {shown} | {found['bleu']:.2f} | "
            f"{found['window']:.2f} | {1 - found['window'] / found['source_length']:.0%} |"
        )
    _draw(records)
    lines += [
        "",
        "![BLEU against window for each β](betas.png)",
        "",
        "English–Japanese, words; one epoch of Eq. 9 for each β, with attention over the windows "
        f"of τ = {SHORT_SENTENCES['threshold']} alone. In the table: test set; τ chosen as in "
        "Table 1. In the figure: development set. Command: `python experiments/betas.py`.",
        "",
    ]
    write_part("betas", lines)


def _draw(records: dict[str, dict]):
    with mpl.rc_context({"font.size": 10}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        for (name, record), colour in zip(records.items(), COLOURS, strict=True):
            found = [record["validation"][f"{threshold:g}"] for threshold in DRAWN]
            axes.plot(
                [scores["window"] for scores in found],
                [scores["bleu"] for scores in found],
                "o-",
                ms=4,
                color=colour,
                label=f"β = {name}" if name[0].isdigit() else "not fine-tuned",
            )
        axes.set_xlabel(f"average window (words); dots: τ = {', '.join(map(str, THRESHOLDS))}, ∞")
        axes.set_ylabel("BLEU (development set)")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        figure.savefig(RESULTS / "betas.png", dpi=150)


if __name__ == "__main__":
    main()
