"""VS Figure 3: BLEU against the average window over thresholds, development and test set."""

import math

from drawing import drawn
from trained import SWEEP, TITLES, Trained, announce, measured, shown

from fa_jax.evaluation.selection import THRESHOLDS

CORPORA = ("tatoeba_en_ja", "bible_de_en")
RUNS = [Trained(c, "small-words", finetuned=tuned) for c in CORPORA for tuned in (False, True)]
COLOUR = "#d55e00"
BEFORE = (*THRESHOLDS, math.inf)
LABELLED = (0.3, 0.8, 1.2, 5.0, math.inf)


def main():
    """Writes results/figure3.png."""
    with drawn("figure3", 10, 2) as panels:
        for axes, corpus in zip(panels, CORPORA, strict=True):
            _draw(axes, corpus)
            axes.set_title(f"{TITLES[corpus]}, words")
        legend = axes.get_legend_handles_labels()
        axes.figure.legend(*legend, loc="outside lower center", ncols=3)


def _draw(axes, corpus: str):
    tuned = measured(Trained(corpus, "small-words", finetuned=True), SWEEP, SWEEP)
    before = measured(Trained(corpus, "small-words"), BEFORE)
    look = {"color": COLOUR, "marker": "o", "ms": 4}
    axes.plot(*_points(tuned, "validation"), "--", **look, label="fine-tuned, development")
    axes.plot(*_points(tuned, "test"), **look, label="fine-tuned, test")
    look = {"color": "0.5", "marker": "o", "ms": 3}
    label = "before fine-tuning, development (τ from 0.8)"
    axes.plot(*_points(before, "validation", BEFORE), ":", **look, label=label)
    for threshold, *point in zip(SWEEP, *_points(tuned, "test"), strict=True):
        if threshold in LABELLED:
            label = "∞" if math.isinf(threshold) else shown(threshold)
            where = {"textcoords": "offset points", "ha": "right", "fontsize": 8}
            axes.annotate(label, point, (-5, 2), **where)
    axes.set_xlabel("average window (words); beside the dots: τ")
    axes.set_ylabel("BLEU")
    axes.margins(0.08)
    axes.grid(alpha=0.3)


def _points(record: dict, split: str, thresholds=SWEEP) -> tuple[list[float], list[float]]:
    """Windows and BLEU."""
    found = [record[split][shown(threshold)] for threshold in thresholds]
    return [scores["window"] for scores in found], [scores["bleu"] for scores in found]


if __name__ == "__main__":
    announce(RUNS)
    main()
