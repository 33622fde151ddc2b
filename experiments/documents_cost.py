"""Does a word of a long document cost what a word of a short one costs? Time and memory.

One document at a time, beam 5, everything compiled: in windows, with all positions scored, and by
Marian's recurrent model, which `make peers` trains. That one learnt from sentences: how long it
takes counts here, not what it writes.
"""

import json
import subprocess
import sys
from typing import Any

from experiments.benchmarks.report import Headline, Report
from experiments.documents import LONGEST_PASSAGES, of_documents
from experiments.measuring import marian_models
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.folders import RUNS
from experiments.measuring.our_side import our_run
from experiments.measuring.wanted import train_or_load
from fa_jax.cache import cache_folder
from fa_jax.errors import UserError

WORDS = {"windowed": (50, 500, 2_000, 20_000), "dense": (50, 500, 2_000)}
"""Of the document, by how it is read."""
MARIAN_WORDS = (50, 500, 2_000)


def measure() -> Report:
    """A row for each length."""
    run = of_documents(LONGEST_PASSAGES)
    threshold = train_or_load(run).config.decoding.threshold
    found = {
        (way, words): _translated(run.folder, words, threshold if way == "windowed" else "inf", way)
        for way, lengths in WORDS.items()
        for words in lengths
    }
    marian = _by_marian()
    rows = [
        {
            "words of the document": words,
            **{
                f"{way}, {name}": value
                for way in WORDS
                for name, value in _columns(found.get((way, words))).items()
            },
            "Marian, ms a word": marian.get(words, ""),
        }
        for words in WORDS["windowed"]
    ]
    each = {key: one["seconds"] / one["written"] for key, one in found.items()}
    memory = found["windowed", 20_000]["megabytes"] / found["windowed", 2_000]["megabytes"]
    headlines = [
        Headline(
            "time a word, 2,000 words ÷ 50, windows",
            each["windowed", 2_000] / each["windowed", 50],
            1.2,
        ),
        Headline(
            "time a word, 20,000 words ÷ 2,000, windows",
            each["windowed", 20_000] / each["windowed", 2_000],
            1.3,
        ),
        Headline("memory of the process, 20,000 words ÷ 2,000", memory, 13.0),
    ]
    return Report(
        "documents_cost",
        {"run": run.name, "threshold": threshold},
        rows,
        [
            "Milliseconds for each word that was written. Memory: the most that the process held. "
            "Marian's recurrent model has as many units and the same beam, on one core; its words "
            "are subwords, and it writes as many as it reads."
        ],
        headlines,
        question="does a word of a long document cost what a word of a short one costs?",
        command="python -m experiments.documents_cost",
    )


def _translated(folder: str, words: int, threshold: float | str, way: str) -> dict[str, float]:
    side = [sys.executable, "-m", "experiments.documents_side"]
    arguments = [str(RUNS / folder), str(words), str(threshold), way]
    ended = subprocess.run([*side, *arguments], capture_output=True, text=True, check=True)
    print(way, words, ended.stdout.strip(), file=sys.stderr, flush=True)
    return json.loads(ended.stdout.splitlines()[-1])


def _by_marian() -> dict[int, float]:
    """Milliseconds for each word that it writes, what it takes to start not counted."""
    run, _ = our_run(marian_models.MARIAN)
    folder = cache_folder() / "peers" / "marian"
    if not (folder / "s2s.npz").exists():
        raise UserError("Marian's model is not there: `make peers` trains it")
    start = marian_models.long_text(folder, run, 1, 1).seconds()
    found = {}
    for words in MARIAN_WORDS:
        translating = marian_models.long_text(folder, run, words, max(MARIAN_WORDS) // words)
        seconds = translating.seconds() - start
        written = sum(len(line.split()) for line in translating.lines)
        found[words] = seconds / written * 1e3
        print("Marian", words, written, found[words], file=sys.stderr, flush=True)
    return found


def _columns(found: dict[str, float] | None) -> dict[str, Any]:
    if found is None:
        return {"ms a word": "", "MB": ""}
    return {
        "ms a word": found["seconds"] / found["written"] * 1e3,
        "MB": found["megabytes"],
    }


if __name__ == "__main__":
    measure_and_publish(measure)
