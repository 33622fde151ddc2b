"""VS Figure 3: BLEU against the average window over thresholds, development and test set."""

import math

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from trained import RESULTS, SWEEP, Trained, measured

from fa_jax.evaluation.selection import THRESHOLDS

CORPORA = {"tatoeba_en_ja": "English–Japanese, words", "bible_de_en": "German–English, words"}
COLOUR = "#d55e00"
BEFORE = (*THRESHOLDS, math.inf)
LINES = {"validation": ("--", "development"), "test": ("-", "test")}
LABELLED = (0.3, 0.8, 1.2, 1.6, 5.0, math.inf)


def main():
    """Writes results/figure3.png."""
    with mpl.rc_context({"font.size": 10}):
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        for axes, (corpus, title) in zip(figure.subplots(1, 2), CORPORA.items(), strict=True):
            _draw(axes, corpus)
            axes.set_title(title)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
        figure.savefig(RESULTS / "figure3.png", dpi=150)


def _draw(axes, corpus: str):
    record = measured(Trained(corpus, "small-words", finetuned=True), SWEEP, SWEEP)
    for split, (line, name) in LINES.items():
        found = [record[split][f"{threshold:g}"] for threshold in SWEEP]
        x, y = [scores["window"] for scores in found], [scores["bleu"] for scores in found]
        axes.plot(x, y, line, marker="o", ms=4, color=COLOUR, label=f"fine-tuned, {name}")
    before = measured(Trained(corpus, "small-words"), BEFORE)["validation"]
    found = [before[f"{threshold:g}"] for threshold in BEFORE]
    axes.plot(
        [scores["window"] for scores in found],
        [scores["bleu"] for scores in found],
        ":",
        marker="o",
        ms=3,
        color="0.5",
        label="before fine-tuning, development (τ from 0.8)",
    )
    for threshold, across, up in zip(SWEEP, x, y, strict=True):
        if threshold in LABELLED:
            label = "∞" if math.isinf(threshold) else f"{threshold:g}"
            where = {"textcoords": "offset points", "ha": "center", "fontsize": 8}
            axes.annotate(label, (across, up), (0, 6), **where)
    axes.set_xlabel("average window (words); beside the dots: τ")
    axes.set_ylabel("BLEU")
    axes.grid(alpha=0.3)


if __name__ == "__main__":
    main()
