"""What do windows save those who translate long lines? Whole commands, windows beside dense.

Verses of 25 to 60 words and passages of some 200, German–English, τ = 1.2, everything compiled
before. The run is the study's `bible_de_en`. It was trained on verses, the passages' among them:
this is about time, not quality.
"""

import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.command import alternated, translating
from experiments.measuring.folders import RUNS
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_or_load
from fa_jax.data.corpora import load_corpus

RUN = StudyRun("bible_de_en", "small")
THRESHOLD = "1.2"
VERSES, VERSE_WORDS = 1000, range(25, 61)
PASSAGES, PASSAGE_WORDS = 200, 200
TARGETS = {"verses": 0.9, "passages": 0.6}
SIDES = ("windowed", "dense")


def measure(rounds: int = 3) -> Report:
    """A row for each kind of text. rounds: times that each side is timed."""
    train_or_load(RUN)
    verses = load_corpus("bible_de_en", "de-en")
    chapters = load_corpus("bible_de_en_chapters", "de-en")
    texts = {
        "verses": _verses(text for split in (verses.test, verses.train) for text, _ in split),
        "passages": _passages(text for text, _ in chapters.test),
    }
    rows = [_row(name, list(lines), rounds) for name, lines in texts.items()]
    headlines = [
        Headline(f"{row['lines']:,} {row['text']}, windows ÷ dense", row["ratio"], target)
        for row, target in zip(rows, TARGETS.values(), strict=True)
    ]
    return Report(
        "long_lines",
        {"run": RUN.name, "threshold": float(THRESHOLD), "rounds": rounds},
        rows,
        ["Lines alike: the two sides write the same words."],
        headlines,
        question="what do windows save those who translate long lines?",
        command="python -m experiments.long_lines",
    )


def _verses(texts: Iterable[str]) -> Iterator[str]:
    return islice((text for text in texts if len(text.split()) in VERSE_WORDS), VERSES)


def _passages(texts: Iterable[str]) -> Iterator[str]:
    """Verses that follow each other, until they have enough words."""

    def joined() -> Iterator[str]:
        words = []
        for text in texts:
            words += text.split()
            if len(words) >= PASSAGE_WORDS:
                yield " ".join(words)
                words = []

    return islice(joined(), PASSAGES)


def _row(name: str, lines: list[str], rounds: int) -> dict[str, str | float]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        commands = {
            side: translating(
                RUNS / RUN.folder,
                *("--threshold", THRESHOLD, "--decoding.implementation", side),
                input=source,
                output=Path(folder, side),
            )
            for side in SIDES
        }
        alternated(commands, 1)  # compiles
        seconds = alternated(commands, rounds)
        written = {side: command.lines for side, command in commands.items()}
    ratios = [a / b for a, b in zip(*seconds.values(), strict=True)]
    alike = sum(a == b for a, b in zip(*written.values(), strict=True))
    return {
        "text": name,
        "lines": len(lines),
        "words": sum(len(line.split()) for line in lines) / len(lines),
        "words written": sum(len(line.split()) for line in written["windowed"]) / len(lines),
        **{f"{side}, seconds": median(values) for side, values in seconds.items()},
        "ratio": median(ratios),
        "slowest and fastest": f"{max(ratios):.2f} … {min(ratios):.2f}",
        "lines alike": f"{alike / len(lines):.1%}",
    }


if __name__ == "__main__":
    measure_and_publish(measure)
