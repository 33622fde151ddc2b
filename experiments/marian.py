"""How fast are whole commands beside Marian's (Junczys-Dowmunt et al. 2018), a toolkit in C++?

Its recurrent model (`--type s2s`) with LSTM cells, the same sizes, subwords and text, in float32
and with 8-bit weights. Marian reads text that is cut into subwords already; `fa-jax translate` cuts
it by itself, starts Python and finds its compiled programs. Each round runs every side once, a new
process each time, with two threads. `make peers` installs Marian; ours is the run of `make train
LANG=en-ja`.
"""

import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.measuring.benchmark import measure_and_publish
from experiments.peers import PYTHON, RUN, bleu_of_tokens, write_tokens
from fa_jax.benchmarks.report import Headline, Report
from fa_jax.cache import cache_folder
from fa_jax.data.encoded import PreparedData, prepare
from fa_jax.data.vocabulary import SPECIAL
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, load_run

MARIAN = PYTHON.with_name("pymarian")
UPDATES = 3000
"""Of Marian's training, batches of 128 pairs: enough that its sentences end as sentences do."""
EIGHT_BITS = ("intgemm8avx512", "packed8avx512")
BATCH_SIZES = (16, 64)
THRESHOLDS = ("inf", "1.2")
THREADS = 2
TARGET = 3.0


@dataclass(frozen=True)
class Side:
    """A whole command. input: the file it reads; the other one gets what it writes."""

    command: list[str]
    input: Path
    output: Path

    def seconds(self) -> float:
        """Of one run of it.

        Raises:
          UserError: the command failed.
        """
        began = time.perf_counter()
        with self.input.open("rb") as read, self.output.open("wb") as write:
            ended = subprocess.run(self.command, stdin=read, stdout=write, stderr=subprocess.PIPE)
        if ended.returncode:
            raise UserError(f"{' '.join(self.command)}: {ended.stderr.decode(errors='replace')}")
        return time.perf_counter() - began


def measure(rounds: int = 3, lines: int = 4000) -> Report:
    """A row for each side.

    rounds: times that each is timed. lines: the test set, then sentences of the training set.

    Raises:
      UserError: Marian or the trained run is not there.
    """
    if not MARIAN.exists():
        raise UserError(f"{MARIAN} is not there: `make peers` installs Marian beside fa_jax")
    run = load_run(RUN)
    data = prepare(run.config.data, codecs=(run.source, run.target))
    folder = cache_folder() / "peers" / "marian"
    _write_texts(folder, run, data, lines)
    words_a_second = _train(folder, run)
    ours = {
        f"fa_jax, τ = {threshold}": Side(
            [sys.executable, "-m", "fa_jax", "translate", str(RUN), "--threshold", threshold],
            folder / "lines.txt",
            folder / f"fa_jax.{threshold}",
        )
        for threshold in THRESHOLDS
    }
    theirs = {"marian, float32": _fastest(_marian_sides(folder, run, ["model.npz"]))}
    models = [f"model.{kind}.bin" for kind in EIGHT_BITS]
    theirs["marian, 8-bit"] = _fastest(_marian_sides(folder, run, models))
    sides = ours | theirs
    for side in ours.values():
        side.seconds()  # compiles
    found = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            found[name].append(side.seconds())
    references = [reference for _, reference in data.corpus.test]
    rows = []
    for name, side in sides.items():
        texts = side.output.read_text(encoding="utf-8").splitlines()[: len(references)]
        tokens = [
            run.target.tokenizer.tokenize(text) if name in ours else text.split() for text in texts
        ]
        rows.append(
            {
                "side": name,
                "seconds": statistics.median(found[name]),
                **{f"÷ {ours_name}": _ratio(found[name], found[ours_name]) for ours_name in ours},
                "subwords a line": sum(map(len, tokens)) / len(tokens),
                "BLEU": bleu_of_tokens(run, tokens, references),
            }
        )
    notes = [
        f"{lines:,} lines, beam {run.config.decoding.beam_size}, {THREADS} threads; Marian's best "
        f"batch size of {BATCH_SIZES} and best of {', '.join(EIGHT_BITS)}; BLEU on characters, of "
        f"the test set, the first {len(references):,} lines.",
        f"Marian learnt for {UPDATES:,} updates, {words_a_second:,.0f} target words a second.",
    ]
    headlines = [
        Headline(f"{name} ÷ {other}, seconds", _ratio(found[name], found[other]), TARGET, True)
        for name in theirs
        for other in ours
    ]
    settings = {"preset": run.config.preset, "rounds": rounds}
    return Report(
        "marian",
        settings,
        rows,
        notes,
        headlines,
        question="how fast are whole commands beside Marian's?",
        command="python -m experiments.marian",
    )


def _ratio(above: Sequence[float], below: Sequence[float]) -> float:
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def _write_texts(folder: Path, run: Run, data: PreparedData, lines: int):
    """Training pairs and lines as subwords, vocabularies, and the lines as people write them."""
    folder.mkdir(parents=True, exist_ok=True)
    sides = {"source": (run.source, data.train.source), "target": (run.target, data.train.target)}
    for name, (codec, encoded) in sides.items():
        words = [word for word in codec.vocabulary.tokens if word not in SPECIAL]
        numbers = {word: row for row, word in enumerate(["</s>", "<unk>", *words])}
        text = json.dumps(numbers, ensure_ascii=False, indent=0)
        (folder / f"{name}.yml").write_text(text, encoding="utf-8")
        write_tokens(folder / f"train.{name}", codec.vocabulary, encoded)
    test, train = data.corpus.test, data.corpus.train
    texts = [test[row][0] for row in range(len(test))]
    texts += [train[row][0] for row in range(lines - len(texts))]
    (folder / "lines.txt").write_text("".join(f"{t}\n" for t in texts), encoding="utf-8")
    write_tokens(folder / "lines.source", run.source.vocabulary, map(run.source.encode, texts))


def _train(folder: Path, run: Run) -> float:
    """Trains what is not trained; returns target words a second, end of sentence included."""
    model, log = run.config.model, folder / "train.log"
    if not (folder / "model.npz").exists():
        print(f"Marian trains for {UPDATES:,} updates ...", file=sys.stderr, flush=True)
        settings = {
            "type": "s2s",
            "enc-cell": "lstm",
            "dec-cell": "lstm",
            "dec-cell-base-depth": 2,
            "dim-emb": model.embedding_size,
            "dim-rnn": model.encoder_size,
            "max-length": run.config.data.max_length,
            "mini-batch": 128,
            "learn-rate": 0.001,
            "clip-norm": 1,
            "label-smoothing": 0.1,
            "exponential-smoothing": 0.0001,
            "after": f"{UPDATES}u",
            "disp-freq": "100u",
            "save-freq": f"{UPDATES}u",
            "workspace": 4000,
            "seed": 1,
        }
        files = ["--train-sets", folder / "train.source", folder / "train.target"]
        model_file = ["--model", folder / "model.npz"]
        _marian("train", *_options(settings), *files, *model_file, *_shared(folder), "--log", log)
    for kind in EIGHT_BITS:
        packed = folder / f"model.{kind}.bin"
        if not packed.exists():
            _marian("convert", "-f", folder / "model.npz", "-t", packed, "-g", kind)
    rates = re.findall(r"([\d.]+) words/s", log.read_text(encoding="utf-8"))
    return statistics.median(map(float, rates))


def _marian_sides(folder: Path, run: Run, models: Sequence[str]) -> list[Side]:
    settings = {"beam-size": run.config.decoding.beam_size, "normalize": 1, "maxi-batch": 100}
    sort = "--maxi-batch-sort", "src"
    options = [*_shared(folder), *_options(settings), *sort, "--quiet", "--mini-batch"]
    return [
        Side(
            [*map(str, [MARIAN, "decode", "--models", folder / model, *options, size])],
            folder / "lines.source",
            folder / f"{model}.{size}.translations",
        )
        for model in models
        for size in BATCH_SIZES
    ]


def _fastest(sides: Sequence[Side]) -> Side:
    return min(sides, key=Side.seconds)


def _shared(folder: Path) -> list[Path | str]:
    vocabularies = folder / "source.yml", folder / "target.yml"
    return ["--vocabs", *vocabularies, "--cpu-threads", str(THREADS)]


def _options(settings: dict[str, str | float]) -> list[str]:
    return [part for name, value in settings.items() for part in (f"--{name}", str(value))]


def _marian(*arguments: Path | str):
    ended = subprocess.run([MARIAN, *map(str, arguments)], capture_output=True, text=True)
    if ended.returncode:
        raise UserError(f"pymarian {arguments[0]}: {ended.stderr[-2000:]}")


if __name__ == "__main__":
    measure_and_publish(measure)
