"""Does a training that was stopped end with the bits of an unbroken one?

No process here holds the device: each training is a process of its own, as a user's is.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.accelerator.conditions import Conditions
from experiments.accelerator.resume_side import ARRAYS
from fa_jax.data.corpora import load_corpus
from fa_jax.data.corpora.text_files import SPLITS
from fa_jax.errors import UserError


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """A row for a deterministic training; on GPUs another for one that is not."""
    ways = {"with --deterministic": ["--deterministic"]}
    if conditions.platform == "gpu":
        ways["without it"] = []
    smallest = ["--smallest"] if conditions.smallest else []
    return {name: partial(_row, [*options, *smallest]) for name, options in ways.items()}


def _row(options: list[str]) -> dict[str, Any]:
    """Raises UserError where a deterministic training does not end with the same bits."""
    with tempfile.TemporaryDirectory(prefix="fa-jax-resume-") as name:
        folder = Path(name)
        write_corpus(folder / "text", pairs=640)
        unbroken = _trained(folder, "unbroken", options)
        _train(folder, "stopped", [*options, "--stop"])
        if (folder / "stopped" / ARRAYS).exists():
            raise UserError("the training did not stop when it was asked to")
        row = compared(_trained(folder, "stopped", options), unbroken)
    if "--deterministic" in options and row["alike"] < row["arrays"]:
        raise UserError(
            "{alike} of {arrays} arrays are the same bit for bit; others differ by up to "
            "{largest_difference:.3g}".format(**row)
        )
    return row


def compared(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> dict[str, Any]:
    """How many arrays are the same bit for bit, and how far the others are apart.

    Raises:
      UserError: they have other names.
    """
    if {*found} != {*wanted}:
        raise UserError(f"arrays of one training alone: {sorted({*found} ^ {*wanted})}")
    other = [name for name in wanted if found[name].tobytes() != wanted[name].tobytes()]
    apart = [np.abs(found[name] - wanted[name].astype(float)).max() for name in other]
    return {
        "arrays": len(wanted),
        "alike": len(wanted) - len(other),
        "largest_difference": float(max(apart, default=0.0)),
    }


def write_corpus(folder: Path, pairs: int):
    """The first pairs of each split of a corpus in the package, as a user's folder."""
    folder.mkdir(parents=True)
    corpus = load_corpus("tatoeba_en_ja", "en-ja")
    for split in SPLITS:
        found = getattr(corpus, split)
        chosen = [found[row] for row in range(pairs if split == "train" else 8)]
        for side, language in enumerate(("en", "ja")):
            text = "".join(pair[side] + "\n" for pair in chosen)
            (folder / f"{split}.{language}").write_text(text, encoding="utf-8")


def _trained(folder: Path, run: str, options: list[str]) -> dict[str, np.ndarray]:
    """Every array of the run's last checkpoint, by name."""
    _train(folder, run, options)
    with np.load(folder / run / ARRAYS) as arrays:
        return dict(arrays)


def _train(folder: Path, run: str, options: list[str]):
    """Raises UserError with the last line that the training said, if it failed."""
    side = "experiments.accelerator.resume_side"
    command = [sys.executable, "-m", side, "--run", folder / run, "--corpus", folder / "text"]
    done = subprocess.run(
        [*map(str, command), *options],
        env=os.environ | {"FA_JAX_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise UserError(f"a training ended with status {done.returncode}: {said[-1]}")
