"""Runs the command line as a user does, on a small real corpus and a tiny model."""

import os
import subprocess
import sys
from pathlib import Path

import fa_jax
from fa_jax.data.corpora import load_corpus
from tests import compiler

REPOSITORY = Path(fa_jax.__file__).parents[1]

TINY = [
    *("--data.source-vocabulary", "200", "--data.target-vocabulary", "600"),
    *("--data.padded-shapes", "1", "--data.max-length", "30"),
    *("--model.embedding-size", "8", "--model.encoder-size", "8", "--model.decoder-size", "8"),
    *("--model.attention-size", "8", "--model.bottleneck-size", "8"),
    *("--training.batch-size", "16", "--training.validations", "1"),
    *("--decoding.beam-size", "2", "--decoding.max-length-ratio", "1"),
    *("--decoding.length-exponent", "1"),  # choosing one takes two searches or more
]


def environment(devices=1, **changes):
    return os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": compiler.quick(devices)} | changes


def command(*arguments):
    return [sys.executable, "-W", "error::UserWarning:fa_jax", "-m", "fa_jax", *map(str, arguments)]


def run(*arguments, stdin="", **environment_options):
    """A finished command: returncode, stdout, stderr."""
    return subprocess.run(
        command(*arguments),
        env=environment(**environment_options),
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=REPOSITORY,
    )


def write_corpus(folder, train=160, rest=6):
    """A user's folder with short pairs of the embedded corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus = load_corpus("tatoeba_en_ja", "en-ja")
    for split, size in (("train", train), ("validation", rest), ("test", rest)):
        pairs = getattr(corpus, split)
        chosen = [pairs[row] for row in range(size)]
        for side, language in enumerate(("en", "ja")):
            text = "".join(pair[side] + "\n" for pair in chosen)
            (folder / f"{split}.{language}").write_text(text, encoding="utf-8")
    return folder
