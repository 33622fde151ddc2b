"""ASPEC-JE as its licence holders distribute it (Nakazawa et al. 2016)."""

from collections.abc import Iterator
from itertools import compress
from pathlib import Path

import numpy as np

from fa_jax.data.corpora.text_files import Pair, read_lines
from fa_jax.errors import UserError

BEST_TRAINING_PAIRS = 1_500_000
"""As many as the paper took, by the alignment score of each training pair (VS 5.1)."""

FILES = {
    "train": ("train-1.txt", "train-2.txt", "train-3.txt"),
    "validation": ("dev.txt",),
    "test": ("test.txt",),
}
FOLDERS = {"train": "train", "validation": "dev", "test": "test"}


def aspec_files(folder: Path, split: str) -> list[Path]:
    """The split's files, in `train/`, `dev/`, `test/` or in the folder itself."""
    for place in (folder / FOLDERS[split], folder):
        found = [place / name for name in FILES[split] if (place / name).is_file()]
        if found:
            return found
    raise UserError(
        f"{folder} is no ASPEC-JE folder: {FOLDERS[split]}/{FILES[split][0]} is not there"
    )


def read_aspec(folder: Path, split: str, best: int = BEST_TRAINING_PAIRS) -> Iterator[Pair]:
    """(English, Japanese) pairs; of the training set the `best` by score, in their order."""
    files = aspec_files(folder, split)
    if split != "train":
        yield from ((english, japanese) for *_, japanese, english in _fields(files, 4))
        return
    scores = np.array([float(fields[0]) for fields in _fields(files, 5)])
    # Stable: of equal scores the first ones stay.
    chosen = np.zeros(len(scores), bool)
    chosen[np.argsort(-scores, kind="stable")[:best]] = True
    best_fields = compress(_fields(files, 5), chosen)
    yield from ((english, japanese) for *_, japanese, english in best_fields)


def _fields(files: list[Path], count: int) -> Iterator[list[str]]:
    for path in files:
        for number, line in enumerate(read_lines(path), start=1):
            fields = [field.strip() for field in line.split("|||")]
            if len(fields) != count:
                raise UserError(
                    f"{path}, line {number}: {len(fields)} fields instead of {count} "
                    "separated by |||"
                )
            yield fields
