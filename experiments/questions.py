"""Questions that the paper leaves open, asked of the fine-tuned runs of Table 1."""

import numpy as np
from drawing import COLOURS, drawn
from observed import observed
from trained import LANGUAGES, TITLES, Trained, announce, selected, shown, write_part
from word_classes import CLASSES, class_of

TRAINED = {
    corpus: Trained(corpus, "small-words", finetuned=True)
    for corpus in ("tatoeba_en_ja", "bible_de_en")
}
RUNS = TRAINED.values()
GROUPS = 5


def main():
    """Writes results/questions.md and three figures."""
    thresholds = {corpus: selected(trained) for corpus, trained in TRAINED.items()}
    rows = {corpus: observed(TRAINED[corpus], t) for corpus, t in thresholds.items()}
    lines = ["## Questions that the paper leaves open", ""]
    lines += _classes(rows)
    lines += _lengths_and_reordering(rows)
    lines += _losses(rows)
    of = "; ".join(f"{TITLES[c]} at τ = {shown(t)}" for c, t in thresholds.items())
    lines += [f"All of the fine-tuned runs of Table 1, test set, beam search: {of}. Command: "
              "`python experiments/questions.py`.", ""]  # fmt: skip
    write_part("questions", lines)


def _classes(rows: dict[str, list[dict]]) -> list[str]:
    lines = [
        "### Which strength goes with which word?",
        "",
        "| | " + " | ".join(f"{name}: g(t), window" for name in CLASSES) + " |",
        "|---" * (len(CLASSES) + 1) + "|",
    ]
    found = {corpus: _by_class(corpus, of) for corpus, of in rows.items()}
    for corpus, of_class in found.items():
        cells = [
            f"{np.mean(g):.2f}, {np.mean(w):.1f} ({len(g):,})" if (g and w) else ""
            for g, w in (of_class[name] for name in CLASSES)
        ]
        lines.append(f"| {TITLES[corpus]} | " + " | ".join(cells) + " |")
    with drawn("strength_by_class", 9) as axes:
        for place, (corpus, of_class) in enumerate(found.items()):
            means = [np.mean(of_class[name][0]) if of_class[name][0] else 0 for name in CLASSES]
            across = np.arange(len(CLASSES)) + 0.4 * place
            axes.bar(across, means, 0.38, color=COLOURS[corpus], label=TITLES[corpus])
        axes.set_xticks(np.arange(len(CLASSES)) + 0.2, CLASSES)
        axes.set_ylabel("mean strength $g(t)$")
        axes.set_ylim(0, 1)
        axes.legend(frameon=False)
    said = [_strongest(corpus, of_class) for corpus, of_class in found.items()]
    return [
        *lines, "", *said, "",
        "In brackets: how many. The strength is that of the step that writes the word; English "
        "has no class for nouns and verbs here (a list of closed classes, no tagger).", "",
        "![strength by class](strength_by_class.png)", "",
    ]  # fmt: skip


def _strongest(corpus: str, of_class: dict[str, tuple[list[float], list[int]]]) -> str:
    mean = {name: np.mean(strengths) for name, (strengths, _) in of_class.items() if strengths}
    high, low = max(mean, key=mean.get), min(mean, key=mean.get)
    return (
        f"- **{TITLES[corpus]}, strength**: highest with {high} (g = {mean[high]:.2f}), lowest "
        f"with {low} ({mean[low]:.2f})."
    )


def _by_class(corpus: str, rows: list[dict]) -> dict[str, tuple[list[float], list[int]]]:
    language = LANGUAGES[corpus].split("-")[1]
    found = {name: ([], []) for name in CLASSES}
    for row in rows:
        for token, strength, window in zip(
            row["tokens"], row["strength"], row["window"], strict=True
        ):
            strengths, windows = found[class_of(token, language)]
            strengths.append(strength)
            windows.append(window)
    return found


def reordering(row: dict) -> float:
    """Mean distance of a step's most looked-at position from the one behind the step before."""
    aligned = np.array(row["aligned"])
    return float(np.abs(np.diff(aligned) - 1).mean()) if len(aligned) > 1 else 0.0


def _lengths_and_reordering(rows: dict[str, list[dict]]) -> list[str]:
    lines = [
        "### Does the window follow the sentence's length, or its reordering?",
        "",
        "| | correlation of the mean window with length | ... with reordering distance "
        "| ... at equal length |",
        "|---|---|---|---|",
    ]
    said = []
    with drawn("window_by_length", 10, 2) as (by_length, by_jumps):
        for corpus, of in rows.items():
            length = np.array([row["length"] for row in of], float)
            window = np.array([np.mean(row["window"]) for row in of])
            jumps = np.array([reordering(row) for row in of])
            look = {"color": COLOURS[corpus], "label": TITLES[corpus]}
            lengths, windows = _grouped(length, window)
            by_length.plot(lengths, windows, "o-", **look)
            longer, wider = lengths[-1] / lengths[0], windows[-1] / windows[0]
            said.append(
                f"- **{TITLES[corpus]}, windows**: the longest fifth of the sentences is "
                f"{longer:.1f} times as long as the shortest, its windows {wider:.1f} times as "
                "wide."
            )
            by_jumps.plot(*_grouped(jumps, window / length), "o-", **look)
            rest = [_without(values, length) for values in (window, jumps)]
            cells = [np.corrcoef(window, x)[0, 1] for x in (length, jumps)]
            cells.append(np.corrcoef(*rest)[0, 1])
            lines.append(f"| {TITLES[corpus]} | " + " | ".join(f"{c:.2f}" for c in cells) + " |")
        by_length.plot([0, 45], [0, 45], ":", color="0.6", label="all positions")
        by_length.set_xlabel("source length (words)")
        by_length.set_ylabel("mean window (words)")
        by_length.legend(frameon=False)
        by_jumps.set_xlabel("reordering distance (words)")
        by_jumps.set_ylabel("mean window ÷ length")
    return [
        *lines, "", *said, "",
        "Reordering distance: how far, on average, a step's most looked-at word is from "
        "the one behind the word before's, with nothing left out (τ = ∞). Dots: fifths of the test "
        "set.", "",
        "![window by length and by reordering](window_by_length.png)", "",
    ]  # fmt: skip


def _losses(rows: dict[str, list[dict]]) -> list[str]:
    lines = [
        "### Do smaller windows hurt long sentences more?",
        "",
        "| | " + " | ".join(f"fifth {n}" for n in range(1, GROUPS + 1)) + " |",
        "|---" * (GROUPS + 1) + "|",
    ]
    said = []
    with drawn("loss_by_length", 6) as axes:
        for corpus, of in rows.items():
            length = np.array([row["length"] for row in of], float)
            loss = np.array([row["bleu_inf"] - row["bleu"] for row in of])
            groups = np.array_split(np.argsort(length, kind="stable"), GROUPS)
            cells = [f"{loss[g].mean():+.2f} ± {_error(loss[g]):.2f}" for g in groups]
            lines.append(f"| {TITLES[corpus]} | " + " | ".join(cells) + " |")
            more = loss[groups[-1]].mean() - loss[groups[0]].mean()
            error = np.hypot(_error(loss[groups[-1]]), _error(loss[groups[0]]))
            said.append(
                f"- **{TITLES[corpus]}, long sentences**: τ costs the longest fifth {more:+.2f} ± "
                f"{error:.2f} sentence BLEU more than the shortest."
            )
            axes.errorbar([length[g].mean() for g in groups], [loss[g].mean() for g in groups],
                          [_error(loss[g]) for g in groups], fmt="o-", capsize=3,
                          color=COLOURS[corpus], label=TITLES[corpus])  # fmt: skip
        axes.axhline(0, color="0.6", lw=1)
        axes.set_xlabel("source length (words)")
        axes.set_ylabel("sentence BLEU lost to the threshold")
        axes.legend(frameon=False)
    return [
        *lines, "", *said, "",
        "Mean smoothed sentence BLEU at τ = ∞ minus at the threshold, with its standard "
        "error; the test set in fifths by source length, short sentences first.", "",
        "![loss by length](loss_by_length.png)", "",
    ]  # fmt: skip


def _grouped(x: np.ndarray, y: np.ndarray) -> tuple[list[float], list[float]]:
    """Means of fifths of x."""
    groups = np.array_split(np.argsort(x, kind="stable"), GROUPS)
    return [float(x[g].mean()) for g in groups], [float(y[g].mean()) for g in groups]


def _without(values: np.ndarray, other: np.ndarray) -> np.ndarray:
    """What a line through the other leaves of the values."""
    return values - np.polyval(np.polyfit(other, values, 1), other)


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


if __name__ == "__main__":
    announce(RUNS)
    main()
