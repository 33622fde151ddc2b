"""Models that Marian trains, and the commands that translate with them: its own and CTranslate2's.

CTranslate2 runs no recurrent model: it gets a small Transformer. Everything lies in one folder.
"""

import json
import re
import subprocess
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from experiments.measuring.command import Command
from experiments.measuring.our_side import PEERS, PYTHON, write_tokens
from fa_jax.data.prepared import PreparedData, prepare
from fa_jax.data.vocabulary import SPECIAL
from fa_jax.errors import UserError
from fa_jax.runs.run import Run

MARIAN = PEERS / "pymarian"
CONVERTER = PEERS / "ct2-marian-converter"
CTRANSLATE2_SIDE = Path(__file__).parents[1] / "ctranslate2_side.py"
BATCH = 128
"""Pairs that are learnt from together."""
BATCH_SIZES = (16, 64)
"""Sentences that are translated together."""
THREADS = 2
LINES = "lines.txt"
"""As people write them."""

Settings = dict[str, str | float]


def write_texts(folder: Path, run: Run, data: PreparedData, lines: int):
    """Training pairs and lines as subwords, vocabularies, and the lines as people write them."""
    folder.mkdir(parents=True, exist_ok=True)
    sides = {"source": (run.source, data.train.source), "target": (run.target, data.train.target)}
    for name, (codec, encoded) in sides.items():
        words = [word for word in codec.vocabulary.tokens if word not in SPECIAL]
        quoted = (json.dumps(word, ensure_ascii=False) for word in ("</s>", "<unk>", *words))
        text = "".join(f"{word}: {row}\n" for row, word in enumerate(quoted))
        (folder / f"{name}.yml").write_text(text, encoding="utf-8")
        write_tokens(folder / f"train.{name}", codec.vocabulary, encoded)
    test, train = data.corpus.test, data.corpus.train
    texts = [test[row][0] for row in range(len(test))]
    texts += [train[row][0] for row in range(lines - len(texts))]
    (folder / LINES).write_text("".join(f"{t}\n" for t in texts), encoding="utf-8")
    write_tokens(folder / "lines.source", run.source.vocabulary, map(run.source.encode, texts))


def recurrent(run: Run) -> Settings:
    """Ours, as nearly as Marian has it."""
    return {
        "type": "s2s",
        "enc-cell": "lstm",
        "dec-cell": "lstm",
        "dec-cell-base-depth": 2,
        "dim-emb": run.config.model.embedding_size,
        "dim-rnn": run.config.model.encoder_size,
        "learn-rate": 0.001,
    }


def transformer(run: Run) -> Settings:
    """A small one, of as many units."""
    size = run.config.model.embedding_size
    return {
        "type": "transformer",
        "enc-depth": 3,
        "dec-depth": 3,
        "dim-emb": size,
        "transformer-heads": 4,
        "transformer-dim-ffn": 4 * size,
        "transformer-dropout": 0.1,
        "learn-rate": 0.001,
        "lr-warmup": 400,
        "lr-decay-inv-sqrt": 400,
    }


def train(
    folder: Path,
    run: Run,
    kind: Settings,
    model: Path,
    updates: int,
    *,
    threads: int,
) -> float:
    """Returns target words a second, end of sentence included."""
    log = model.with_suffix(".log")
    settings = kind | {
        "max-length": prepare(run.config.data).max_length,
        "mini-batch": BATCH,
        "clip-norm": 1,
        "label-smoothing": 0.1,
        "exponential-smoothing": 0.0001,
        "after": f"{updates}u",
        "disp-freq": f"{min(updates, 100)}u",
        "save-freq": f"{updates}u",
        "workspace": 4000,
        "seed": 1,
    }
    files = ["--train-sets", folder / "train.source", folder / "train.target", "--model", model]
    log.unlink(missing_ok=True)
    _call(MARIAN, "train", *_options(settings), *files, *_shared(folder, threads), "--log", log)
    return float(re.findall(r"([\d.]+) words/s", log.read_text(encoding="utf-8"))[-1])


def marian(folder: Path, run: Run, *options: str) -> list[Command]:
    """Translates with the recurrent model, one command a batch size."""
    settings = {"beam-size": run.config.decoding.beam_size, "normalize": 1, "maxi-batch": 100}
    model = ["--models", folder / "s2s.npz", *_shared(folder, THREADS), *_options(settings)]
    command = [MARIAN, "decode", *model, *options, "--maxi-batch-sort", "src", "--quiet"]
    return [
        _translating(folder, [*command, "--mini-batch", size], f"marian{''.join(options)}.{size}")
        for size in BATCH_SIZES
    ]


def long_text(folder: Path, run: Run, words: int, lines: int) -> Command:
    """Searches translations of lines of so many words, one at a time on one core. They begin with
    as many given words, so that none ends before."""
    texts = [folder / f"long.{words}.{side}" for side in ("source", "target")]
    for side, path in zip(("source", "target"), texts, strict=True):
        with (folder / f"train.{side}").open(encoding="utf-8") as text:
            found = list(islice((word for line in text for word in line.split()), words * lines))
        each = (" ".join(found[first : first + words]) for first in range(0, len(found), words))
        path.write_text("".join(f"{line}\n" for line in each), encoding="utf-8")
    settings = {
        "beam-size": run.config.decoding.beam_size,
        "mini-batch": 1,
        "maxi-batch": 1,
        "max-length": 2 * words + 10,
        "max-length-factor": 1,
    }
    model = ["--models", folder / "s2s.npz", *_shared(folder, 1), *_options(settings)]
    command = [MARIAN, "decode", *model, "--quiet", "--force-decode", "--input", *texts]
    return Command([str(part) for part in command], texts[0], folder / f"long.{words}.translations")


def ctranslate2(folder: Path, run: Run, compute: str) -> list[Command]:
    """Translates with the Transformer, one command a batch size."""
    model, beam = folder / "ctranslate2", run.config.decoding.beam_size
    if not model.exists():
        files = "--model_path", _with_short_config(folder), "--output_dir", model
        _call(CONVERTER, *files, "--vocab_paths", *_vocabularies(folder))
    command = [PYTHON, CTRANSLATE2_SIDE, model, compute, beam, THREADS]
    return [
        _translating(folder, [*command, size], f"ctranslate2.{compute}.{size}")
        for size in BATCH_SIZES
    ]


def _with_short_config(folder: Path) -> Path:
    """The Transformer, its config with one NUL behind it: the converter cannot read more, and
    Marian fills up to 256 bytes."""
    model = dict(np.load(folder / "transformer.npz"))
    config = model["special:model.yml"].tobytes().rstrip(b"\0") + b"\0"
    path = folder / "transformer.to-convert.npz"
    np.savez(path, **model | {"special:model.yml": np.frombuffer(config, np.int8)})
    return path


def _translating(folder: Path, command: Sequence[Path | str | int], name: str) -> Command:
    arguments = [str(part) for part in command]
    return Command(arguments, folder / "lines.source", folder / f"{name}.translations")


def _vocabularies(folder: Path) -> tuple[Path, Path]:
    return folder / "source.yml", folder / "target.yml"


def _shared(folder: Path, threads: int) -> list[Path | str]:
    return ["--vocabs", *_vocabularies(folder), "--cpu-threads", str(threads)]


def _options(settings: Settings) -> list[str]:
    return [part for name, value in settings.items() for part in (f"--{name}", str(value))]


def _call(command: Path, *arguments: Path | str):
    ended = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    if ended.returncode:
        raise UserError(f"{command.name} {arguments[0]}: {ended.stderr[-2000:]}")
