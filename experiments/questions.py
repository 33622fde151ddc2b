"""Questions that the paper leaves open, asked of the runs of Table 1 that learnt in windows."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from experiments.drawing import COLOURS, drawn
from experiments.measuring.kept_translations import sentence_bleu
from experiments.measuring.observations import Observations
from experiments.measuring.records import shown, windowed
from experiments.measuring.study_run import LANGUAGES, TITLES, StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.measuring.word_classes import CLASSES, class_of
from experiments.tables.fifths import GROUPS, fifths
from experiments.tables.part import Part, bullets, rows_as_table, write_part

RUNS = {corpus: StudyRun(corpus, "small-words") for corpus in ("tatoeba_en_ja", "bible_de_en")}
WANTED = [Observations(run) for run in RUNS.values()]


@dataclass(frozen=True)
class Answer:
    """To a question: Markdown lines and what was found."""

    lines: list[str]
    findings: list[str]


def part() -> Part:
    """Three tables and three figures, from records."""
    rows = {corpus: Observations(run).recorded() for corpus, run in RUNS.items()}
    classes = {corpus: _by_class(corpus, of) for corpus, of in rows.items()}
    sentences = {corpus: Sentences.of(RUNS[corpus], of) for corpus, of in rows.items()}
    answers = [_classes(classes), _lengths_and_reordering(sentences), _losses(sentences)]
    of = "; ".join(f"{TITLES[c]} at τ = {shown(windowed(run))}" for c, run in RUNS.items())
    return Part(
        "questions",
        "Questions that the paper leaves open",
        [line for answer in answers for line in answer.lines][:-1],
        "These answers are of the runs of Table 1 that learnt in windows, from beam search on the "
        f"test set: {of}.",
        [finding for answer in answers for finding in answer.findings],
        {
            "strength_by_class": lambda path: _draw_classes(classes, path),
            "window_by_length": lambda path: _draw_windows(sentences, path),
            "loss_by_length": lambda path: _draw_losses(sentences, path),
        },
    )


@dataclass(frozen=True)
class Sentences:
    """Of the test set, a number each. length: words of the source. window: mean over steps.
    jumps: `reordering`. loss: sentence BLEU at τ = ∞ minus at the run's own threshold."""

    length: Float[np.ndarray, " N"]
    window: Float[np.ndarray, " N"]
    jumps: Float[np.ndarray, " N"]
    loss: Float[np.ndarray, " N"]

    @staticmethod
    def of(run: StudyRun, rows: list[dict[str, Any]]) -> "Sentences":
        bleu, bleu_inf = (np.array(sentence_bleu(run, t)) for t in (windowed(run), math.inf))
        return Sentences(
            length=np.array([row["length"] for row in rows], float),
            window=np.array([np.mean(row["window"]) for row in rows]),
            jumps=np.array([reordering(row["aligned"]) for row in rows]),
            loss=bleu_inf - bleu,
        )


def reordering(aligned: list[int]) -> float:
    """Mean distance of a step's most looked-at position from the one behind the step before."""
    return float(np.abs(np.diff(aligned) - 1).mean()) if len(aligned) > 1 else 0.0


ByClass = Mapping[str, tuple[list[float], list[int]]]
"""Strengths and windows of each class of words."""


def _by_class(corpus: str, rows: list[dict[str, Any]]) -> ByClass:
    language = LANGUAGES[corpus].split("-")[1]
    found = {name: ([], []) for name in CLASSES}
    for row in rows:
        for token, *measured in zip(row["tokens"], row["strength"], row["window"], strict=True):
            for kept, value in zip(found[class_of(token, language)], measured, strict=True):
                kept.append(value)
    return found


def _classes(found: Mapping[str, ByClass]) -> Answer:
    rows, findings = [], []
    for corpus, of_class in found.items():
        cells = [
            f"{np.mean(g):.2f}, {np.mean(w):.1f} ({len(g):,})" if g else ""
            for g, w in (of_class[name] for name in CLASSES)
        ]
        rows.append((TITLES[corpus], *cells))
        mean = {name: np.mean(strengths) for name, (strengths, _) in of_class.items() if strengths}
        high, low = max(mean, key=mean.get), min(mean, key=mean.get)
        findings.append(
            f"**{TITLES[corpus]}, strength**: it is highest where the network writes *{high}* "
            f"(mean g = {mean[high]:.2f}), and lowest where it writes *{low}* ({mean[low]:.2f})."
        )
    lines = [
        "### Which strength goes with which word?", "",
        *rows_as_table(("", *(f"{name}: g(t), window" for name in CLASSES)), rows), "",
        *bullets(findings), "",
        "Each cell has the mean strength and the mean window of the steps that write such words, "
        "and in brackets how many there are. English words are sorted by a list of function words, "
        "without a tagger. So English nouns and verbs are among the other words.", "",
        "![strength by class](strength_by_class.png)", "",
    ]  # fmt: skip
    return Answer(lines, findings)


def _draw_classes(found: Mapping[str, ByClass], path: Path):
    with drawn(path, 9) as axes:
        for place, (corpus, of_class) in enumerate(found.items()):
            means = [np.mean(of_class[name][0]) if of_class[name][0] else 0 for name in CLASSES]
            across = np.arange(len(CLASSES)) + 0.4 * place
            axes.bar(across, means, 0.38, color=COLOURS[corpus], label=TITLES[corpus])
        axes.set_xticks(np.arange(len(CLASSES)) + 0.2, CLASSES)
        axes.set_ylabel("mean strength $g(t)$")
        axes.set_ylim(0, 1)
        axes.legend(frameon=False)


def _lengths_and_reordering(found: Mapping[str, Sentences]) -> Answer:
    head = ("correlation of a sentence's mean window with", "its length",
            "its reordering distance", "its reordering distance, at equal length")  # fmt: skip
    rows, findings = [], []
    for corpus, of in found.items():
        lengths, windows = _grouped(of.length, of.window)
        findings.append(
            f"**{TITLES[corpus]}, windows**: the longest fifth of the sentences is "
            f"{lengths[-1] / lengths[0]:.1f} times as long as the shortest fifth. Its windows are "
            f"{windows[-1] / windows[0]:.1f} times as wide."
        )
        rest = [_without(values, of.length) for values in (of.window, of.jumps)]
        pairs = ((of.window, of.length), (of.window, of.jumps), rest)
        rows.append((TITLES[corpus], *(f"{np.corrcoef(*pair)[0, 1]:.2f}" for pair in pairs)))
    lines = [
        "### Does the window follow the sentence's length, or its reordering?", "",
        *rows_as_table(head, rows), "", *bullets(findings), "",
        "*Reordering distance*: each step looks most at one source word. If both languages had the "
        "same order, the next step would look at the word behind it. The distance is how far from "
        "there the next step looks, in words, on average over a sentence's steps. It is measured "
        "at τ = ∞, where every word is scored. In the figure a dot is a fifth of the test set.", "",
        "![window by length and by reordering](window_by_length.png)", "",
    ]  # fmt: skip
    return Answer(lines, findings)


def _draw_windows(found: Mapping[str, Sentences], path: Path):
    with drawn(path, 10, 2) as (by_length, by_jumps):
        for corpus, of in found.items():
            look = {"color": COLOURS[corpus], "label": TITLES[corpus]}
            by_length.plot(*_grouped(of.length, of.window), "o-", **look)
            by_jumps.plot(*_grouped(of.jumps, of.window / of.length), "o-", **look)
        by_length.plot([0, 45], [0, 45], ":", color="0.6", label="all positions")
        by_length.set_xlabel("source length (words)")
        by_length.set_ylabel("mean window (words)")
        by_length.legend(frameon=False)
        by_jumps.set_xlabel("reordering distance (words)")
        by_jumps.set_ylabel("mean window ÷ length")


def _losses(found: Mapping[str, Sentences]) -> Answer:
    rows, findings = [], []
    for corpus, of in found.items():
        groups = [of.loss[group] for group in fifths(of.length)]
        rows.append((TITLES[corpus], *(f"{g.mean():+.2f} ± {_error(g):.2f}" for g in groups)))
        more = groups[-1].mean() - groups[0].mean()
        error = np.hypot(_error(groups[-1]), _error(groups[0]))
        findings.append(
            f"**{TITLES[corpus]}, long sentences**: the threshold costs the longest fifth "
            f"{abs(more):.2f} ± {error:.2f} sentence BLEU {'more' if more >= 0 else 'less'} than "
            "the shortest fifth."
        )
    lines = [
        "### Do smaller windows hurt long sentences more?", "",
        *rows_as_table(("", *(f"fifth {n}" for n in range(1, GROUPS + 1))), rows), "",
        *bullets(findings), "",
        "Each cell is what the threshold costs: smoothed sentence BLEU at τ = ∞, minus that at the "
        "run's threshold, mean ± standard error. Fifth 1 has the shortest sources of the test set, "
        "fifth 5 the longest.", "",
        "![loss by length](loss_by_length.png)", "",
    ]  # fmt: skip
    return Answer(lines, findings)


def _draw_losses(found: Mapping[str, Sentences], path: Path):
    with drawn(path, 6) as axes:
        for corpus, of in found.items():
            groups = [of.loss[group] for group in fifths(of.length)]
            lengths, losses = _grouped(of.length, of.loss)
            axes.errorbar(lengths, losses, [_error(group) for group in groups], fmt="o-",
                          capsize=3, color=COLOURS[corpus], label=TITLES[corpus])  # fmt: skip
        axes.axhline(0, color="0.6", lw=1)
        axes.set_xlabel("source length (words)")
        axes.set_ylabel("sentence BLEU lost to the threshold")
        axes.legend(frameon=False)


def _grouped(x: np.ndarray, y: np.ndarray) -> tuple[list[float], list[float]]:
    """Means of fifths of x."""
    groups = fifths(x)
    return [float(x[g].mean()) for g in groups], [float(y[g].mean()) for g in groups]


def _without(values: np.ndarray, other: np.ndarray) -> np.ndarray:
    """What a line through the other leaves of the values."""
    return values - np.polyval(np.polyfit(other, values, 1), other)


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
