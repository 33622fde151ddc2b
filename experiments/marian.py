"""How fast are whole commands beside Marian's (Junczys-Dowmunt et al. 2018), a toolkit in C++?

Its recurrent model (`--type s2s`) with LSTM cells, the same sizes, subwords and text, in float32
and with 8-bit weights. Marian reads text that is cut into subwords already; `fa-jax translate` cuts
it by itself, starts Python and finds its compiled programs. Each round runs every side once, a new
process each time, with two threads, and trains both from their beginning for a number of updates.
`make peers` installs Marian; ours is the run that comes with fa_jax.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.command import Command, alternated, translating
from experiments.peers import PYTHON, RUN, FaJaxSide, bleu_of_tokens, our_run, write_tokens
from fa_jax.benchmarks.report import Headline, Report
from fa_jax.cache import cache_folder
from fa_jax.data.prepared import PreparedData
from fa_jax.data.vocabulary import SPECIAL
from fa_jax.errors import UserError
from fa_jax.runs.run import Run

MARIAN = PYTHON.with_name("pymarian")
BATCH = 128
"""Pairs that are learnt from together."""
UPDATES = 2000
"""Of Marian's training: enough that its sentences end as sentences do."""
EIGHT_BITS = ("intgemm8avx512",)
"""With packed8avx512 this model writes empty lines."""
BATCH_SIZES = (16, 64)
THRESHOLDS = ("inf", "1.2")
THREADS = 2
TARGET, TRAINING_TARGET = 3.0, 5.0


def measure(rounds: int = 3, lines: int = 4000, steps: int = 50) -> Report:
    """A row for each side.

    rounds: times that each is timed. lines: the test set, then sentences of the training set.
    steps: of training that a round times.

    Raises:
      UserError: Marian is not there.
    """
    run, data = our_run(MARIAN)
    folder = cache_folder() / "peers" / "marian"
    _write_texts(folder, run, data, lines)
    if not (folder / "model.npz").exists():
        print(f"Marian trains for {UPDATES:,} updates ...", file=sys.stderr, flush=True)
        _train(folder, run, folder / "model.npz", UPDATES, threads=1)  # two learn asynchronously
    learning = _words_learnt_a_second(folder, run, data, rounds, steps)
    ours = {
        f"fa_jax, τ = {threshold}": translating(
            RUN,
            *("--threshold", threshold),
            input=folder / "lines.txt",
            output=folder / f"fa_jax.{threshold}",
        )
        for threshold in THRESHOLDS
    }
    theirs = {"marian, float32": _fastest(_marian_sides(folder, run, ["model.npz"]))}
    models = [_eight_bits(folder, kind) for kind in EIGHT_BITS]
    theirs["marian, 8-bit"] = _fastest(_marian_sides(folder, run, models))
    sides = ours | theirs
    alternated(ours, 1)  # compiles
    found = alternated(sides, rounds)
    references = [reference for _, reference in data.corpus.test]
    rows = []
    for name, side in sides.items():
        texts = side.lines[: len(references)]
        tokens = [
            run.target.tokenizer.tokenize(text) if name in ours else text.split() for text in texts
        ]
        rows.append(
            {
                "side": name,
                "seconds": median(found[name]),
                **{f"÷ {ours_name}": _ratio(found[name], found[ours_name]) for ours_name in ours},
                "subwords a line": sum(map(len, tokens)) / len(tokens),
                "BLEU": bleu_of_tokens(run, tokens, references),
            }
        )
    notes = [
        f"{lines:,} lines, beam {run.config.decoding.beam_size}, {THREADS} threads; Marian's best "
        f"batch size of {BATCH_SIZES} and best of {', '.join(EIGHT_BITS)}; BLEU on characters, of "
        f"the test set, the first {len(references):,} lines.",
        f"Marian learnt for {UPDATES:,} updates. Training: batches of {BATCH}, {steps} steps a "
        "round from the first one on, compilation not counted: "
        + " and ".join(f"{median(rates):,.0f}" for rates in learning.values())
        + " target words a second, ours and Marian's.",
    ]
    headlines = [
        Headline(f"{name} ÷ {other}, seconds", _ratio(found[name], found[other]), TARGET, True)
        for name in theirs
        for other in ours
    ]
    ratio = _ratio(learning["fa_jax"], learning["marian"])
    headlines.append(
        Headline("target words trained a second ÷ Marian", ratio, TRAINING_TARGET, True)
    )
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
    return median(a / b for a, b in zip(above, below, strict=True))


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


def _train(folder: Path, run: Run, model: Path, updates: int, *, threads: int) -> float:
    """Returns target words a second, end of sentence included."""
    sizes, log = run.config.model, model.with_suffix(".log")
    settings = {
        "type": "s2s",
        "enc-cell": "lstm",
        "dec-cell": "lstm",
        "dec-cell-base-depth": 2,
        "dim-emb": sizes.embedding_size,
        "dim-rnn": sizes.encoder_size,
        "max-length": run.config.data.max_length,
        "mini-batch": BATCH,
        "learn-rate": 0.001,
        "clip-norm": 1,
        "label-smoothing": 0.1,
        "exponential-smoothing": 0.0001,
        "after": f"{updates}u",
        "disp-freq": f"{updates}u",
        "save-freq": f"{updates}u",
        "workspace": 4000,
        "seed": 1,
    }
    files = ["--train-sets", folder / "train.source", folder / "train.target", "--model", model]
    log.unlink(missing_ok=True)
    _marian("train", *_options(settings), *files, *_shared(folder, threads), "--log", log)
    return float(re.findall(r"([\d.]+) words/s", log.read_text(encoding="utf-8"))[-1])


def _words_learnt_a_second(
    folder: Path, run: Run, data: PreparedData, rounds: int, steps: int
) -> dict[str, list[float]]:
    """Target words, of both sides in turn."""
    ours = FaJaxSide(run, data, [], batch=BATCH)
    ours.warm_up()
    found = {"fa_jax": [], "marian": []}
    for _ in range(rounds):
        timed = ours.steps(steps)
        found["fa_jax"].append(timed["tokens"] / timed["seconds"])
        with tempfile.TemporaryDirectory() as beside:
            model = Path(beside, "model.npz")
            found["marian"].append(_train(folder, run, model, steps, threads=THREADS))
    return found


def _eight_bits(folder: Path, kind: str) -> str:
    """The name of the model with its products in 8 bits."""
    packed = folder / f"model.{kind}.bin"
    if not packed.exists():
        _marian("convert", "-f", folder / "model.npz", "-t", packed, "-g", kind)
    return packed.name


def _marian_sides(folder: Path, run: Run, models: Sequence[str]) -> list[Command]:
    settings = {"beam-size": run.config.decoding.beam_size, "normalize": 1, "maxi-batch": 100}
    sort = "--maxi-batch-sort", "src"
    options = [*_shared(folder, THREADS), *_options(settings), *sort, "--quiet", "--mini-batch"]
    return [
        Command(
            [*map(str, [MARIAN, "decode", "--models", folder / model, *options, size])],
            folder / "lines.source",
            folder / f"{model}.{size}.translations",
        )
        for model in models
        for size in BATCH_SIZES
    ]


def _fastest(sides: Sequence[Command]) -> Command:
    return min(sides, key=Command.seconds)


def _shared(folder: Path, threads: int) -> list[Path | str]:
    vocabularies = folder / "source.yml", folder / "target.yml"
    return ["--vocabs", *vocabularies, "--cpu-threads", str(threads)]


def _options(settings: dict[str, str | float]) -> list[str]:
    return [part for name, value in settings.items() for part in (f"--{name}", str(value))]


def _marian(*arguments: Path | str):
    ended = subprocess.run([MARIAN, *map(str, arguments)], capture_output=True, text=True)
    if ended.returncode:
        raise UserError(f"pymarian {arguments[0]}: {ended.stderr[-2000:]}")


if __name__ == "__main__":
    measure_and_publish(measure)
