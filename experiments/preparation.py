"""How fast is much text prepared, and in how much memory?

The text is made large: lines of the English–Japanese corpus in the package, half of them joined
with another line drawn at random. Its files, and a cache that begins empty, stay in `--folder`.
Memory is the proportional set size (Linux) of the command's processes, looked at twice a second.

`python -m experiments.preparation --pairs 10000000`
"""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import tyro

from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from fa_jax.data.corpora import Corpus, load_corpus
from fa_jax.data.reading import read
from fa_jax.data.tokenizers import Subwords
from fa_jax.whole_files import whole_folder

PAIRS_A_SECOND, GIGABYTES, START = 10_000, 3.0, 60.0
SAMPLE = 100_000
"""Lines that the tokenizer alone is timed with."""


def write_large(corpus: Corpus, pairs: int, folder: Path):
    """A corpus of so many training pairs."""
    lines, drawn = [*corpus.train], random.Random(0)
    codes = corpus.source_language, corpus.target_language
    with whole_folder(folder) as made:
        sides = [made / f"train.{code}" for code in codes]
        with sides[0].open("w") as source, sides[1].open("w") as target:
            for row in range(pairs):
                (a, b), (c, d) = lines[row % len(lines)], drawn.choice(lines)
                joined = drawn.random() < 0.5
                source.write(f"{a} {c}\n" if joined else f"{c}\n")
                target.write(f"{b}{d}\n" if joined else f"{d}\n")
        for split, held_out in (("validation", corpus.validation), ("test", corpus.test)):
            for code, texts in zip(codes, zip(*held_out, strict=True), strict=True):
                (made / f"{split}.{code}").write_text("".join(f"{text}\n" for text in texts))


def tokenized_a_second(corpus: Corpus) -> float:
    """Pairs whose two sides are read and split into subwords on all cores, nothing else done."""
    seconds = 0.0
    for place, language in enumerate((corpus.source_language, corpus.target_language)):
        texts = [*corpus.train.side(place, 0, SAMPLE)]
        tokenizer = Subwords.learn(texts, language, 8000)
        began = time.process_time()
        for text in texts:
            tokenizer.tokenize(read(text))
        seconds += time.process_time() - began
    return len(os.sched_getaffinity(0)) * len(texts) / seconds


def seconds_and_gigabytes(arguments: Sequence[str], cache: Path) -> tuple[float, float, float]:
    """Of a command: seconds that pass, seconds of processors, and the most memory."""
    began, before, peak = time.perf_counter(), os.times(), 0.0
    command = [sys.executable, "-m", "fa_jax", *arguments]
    process = subprocess.Popen(
        command, env={**os.environ, "FA_JAX_CACHE": str(cache)}, stderr=subprocess.DEVNULL
    )
    while process.poll() is None:
        peak = max(peak, sum(map(_kilobytes, _family(process.pid))) / 1e6)
        time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    after = os.times()
    processors = after.children_user + after.children_system
    processors -= before.children_user + before.children_system
    return time.perf_counter() - began, processors, peak


def _family(process: int) -> Iterator[int]:
    yield process
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = path.read_text().split()
        except OSError:  # it has ended
            continue
        for child in children:
            yield from _family(int(child))


def _kilobytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def measure(pairs: int, folder: Path) -> Report:
    """`fa-jax data` with an empty cache, with a full one, and three steps of a training."""
    corpus = load_corpus("tatoeba_en_ja", "en-ja")
    text, cache = folder / f"text-{pairs}", folder / "cache"
    if not text.exists():
        write_large(corpus, pairs, text)
    shutil.rmtree(cache, ignore_errors=True)
    of_text = "en-ja", "--corpus", str(text), "--preset", "small"
    commands = {
        "fa-jax data, empty cache": ("data", *of_text),
        "fa-jax data again": ("data", *of_text),
        "fa-jax train --dry-run": ("train", *of_text, "--dry-run"),
    }
    rows = []
    for what, arguments in commands.items():
        seconds, processors, peak = seconds_and_gigabytes(arguments, cache)
        row = {"command": what, "seconds": seconds, "seconds of processors": processors}
        rows.append(row | {"pairs a second": pairs / seconds, "GB": peak})
    alone = tokenized_a_second(corpus)
    return Report(
        "preparation",
        {"pairs": pairs, "cores": len(os.sched_getaffinity(0))},
        rows,
        [
            f"The tokenizer alone: {alone:,.0f} pairs a second, both sides, on all cores.",
            "A dry run plans all batches, compiles a step and does three.",
        ],
        [
            Headline("pairs prepared a second", pairs / rows[0]["seconds"], PAIRS_A_SECOND, True),
            Headline("GB at the most", max(row["GB"] for row in rows[:2]), GIGABYTES),
            Headline(
                "seconds from text that is prepared to three steps", rows[2]["seconds"], START
            ),
        ],
        question="how fast is much text prepared, and in how much memory?",
        command=f"python -m experiments.preparation --pairs {pairs}",
    )


def main(pairs: int = 1_000_000, folder: Path = Path("build/preparation")):
    """Measures how much text is prepared.

    Args:
      pairs: of sentences.
      folder: where the text and the cache lie.
    """
    measure_and_publish(partial(measure, pairs, folder))


if __name__ == "__main__":
    tyro.cli(main)
