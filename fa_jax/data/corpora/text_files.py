"""Parallel text as people keep it: two aligned files, one of tab-separated pairs, or ASPEC-JE as
its licence holders distribute it (Nakazawa et al. 2016)."""

import gzip
import lzma
import re
import zlib
from collections.abc import Iterator
from itertools import compress, groupby, zip_longest
from pathlib import Path

import numpy as np

from fa_jax.errors import UserError

SPLITS = ("train", "validation", "test")
OPENERS = {"": open, ".gz": gzip.open, ".xz": lzma.open}
Pair = tuple[str, str]
OfDocument = tuple[int, Pair]
"""A pair, and which document it stands in, counted from 0; without documents always 0."""
_CODE = re.compile("[a-z]{2}")
"""A language's code, as a table's header has it."""
BEST_TRAINING_PAIRS = 1_500_000
"""As many as the paper took, by the alignment score of each training pair (VS 5.1)."""
ASPEC_FILES = {
    "train": ("train", ["train-1.txt", "train-2.txt", "train-3.txt"]),
    "validation": ("dev", ["dev.txt"]),
    "test": ("test", ["test.txt"]),
}
"""Each split's folder and files."""


def read_lines(path: Path) -> Iterator[str]:
    """Lines of a UTF-8 file, plain, `.gz` or `.xz`.

    Raises:
      UserError: a line is no UTF-8 (names file and line), or the file cannot be read.
    """
    try:
        with OPENERS.get(path.suffix, open)(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise UserError(
                        f"{path}, line {number}: not UTF-8 (byte {error.start + 1} of the line). "
                        "Convert the file to UTF-8"
                    ) from error
                yield text.rstrip("\r\n")
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise UserError(f"{path} cannot be read: {error}") from error


def split_files(folder: Path, split: str, languages: tuple[str, str]) -> list[Path]:
    """The files of a split: `[train.tsv]` or `[train.en, train.ja]`, compressed or not.

    Raises:
      UserError: they are not there, and the message says which names were looked for; or there are
        both, a table and two files.
    """
    sides = [_existing(folder / f"{split}.{language}") for language in languages]
    sides = sides if all(sides) else []
    if table := _existing(folder / f"{split}.tsv"):
        if sides:
            raise UserError(f"{table} and {sides[0]} may both be meant: keep one of them there")
        return [table]
    if sides:
        return sides
    first, second = languages
    raise UserError(
        f"{folder} has no {split} set for {first}-{second}: looked for {split}.tsv and for "
        f"{split}.{first} with {split}.{second}, each also as .gz or .xz"
        + ("" if split == "train" else f". Put a few hundred pairs of train aside for {split}")
    )


def read_pairs(folder: Path, languages: tuple[str, str], split: str) -> Iterator[OfDocument]:
    """Pairs of `split_files`, in the order of `languages`.

    An empty line, or several, ends a document and is no pair.

    Raises:
      UserError: files of unequal length, a side without text, a line without exactly one tab.
    """
    files = split_files(folder, split, languages)
    pairs = _table(files[0], languages) if len(files) == 1 else _aligned(files[0], files[1])
    documents = (of_document for is_pair, of_document in groupby(pairs, bool) if is_pair)
    silent = dict(zip(languages, (0, 1), strict=True))
    for number, document in enumerate(documents):
        for pair in document:
            silent = {language: side for language, side in silent.items() if not pair[side].strip()}
            yield number, pair
    if silent:
        language, side = next(iter(silent.items()))
        raise UserError(
            f"{files[side % len(files)]} has no {language} text: it needs one line of it"
        )


def _table(path: Path, languages: tuple[str, str]) -> Iterator[Pair | None]:
    """Columns by the header's language codes; without a header, source and target. None: an empty
    line."""
    swap = False
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            yield None
            continue
        cells = line.split("\t")
        if len(cells) != 2:
            raise UserError(
                f"{path}, line {number}: {len(cells) - 1} tabs instead of one between the two "
                "sentences"
            )
        if number == 1 and set(cells) == set(languages):
            swap = cells[0] == languages[1]
        elif number == 1 and all(map(_CODE.fullmatch, cells)):
            raise UserError(
                f"{path} is headed {cells[0]}, {cells[1]}: it holds no {'-'.join(languages)} text"
            )
        else:
            yield (cells[1], cells[0]) if swap else (cells[0], cells[1])


def _aligned(first: Path, second: Path) -> Iterator[Pair | None]:
    """None: a line that is empty in both files, or has spaces alone."""
    lines = zip_longest(read_lines(first), read_lines(second))
    for number, (a, b) in enumerate(lines, start=1):
        if a is None or b is None:
            shorter, longer = (first, second) if a is None else (second, first)
            count = sum(1 for _ in read_lines(longer))
            raise UserError(
                f"{shorter} has {number - 1} lines and {longer} has {count}: line {number} of "
                f"{longer.name} has no partner. Each line must be the translation of the other "
                "file's line of the same number"
            )
        yield (a, b) if a.strip() or b.strip() else None


def _existing(path: Path) -> Path | None:
    candidates = (path.with_name(path.name + suffix) for suffix in OPENERS)
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def aspec_files(folder: Path, split: str) -> list[Path]:
    """The split's files, in `train/`, `dev/`, `test/` or in the folder itself."""
    inner, names = ASPEC_FILES[split]
    for place in (folder / inner, folder):
        if found := [place / name for name in names if (place / name).is_file()]:
            return found
    raise UserError(f"{folder} is no ASPEC-JE folder: {inner}/{names[0]} is not there")


def read_aspec(folder: Path, split: str, best: int = BEST_TRAINING_PAIRS) -> Iterator[OfDocument]:
    """(English, Japanese) pairs, of no document; of the training set the `best` by score, in their
    order."""
    files = aspec_files(folder, split)
    fields = _aspec_fields(files, 5 if split == "train" else 4)
    if split == "train":
        scores = np.array([float(score) for score, *_ in fields])
        # Stable: of equal scores the first ones stay.
        chosen = np.zeros(len(scores), bool)
        chosen[np.argsort(-scores, kind="stable")[:best]] = True
        fields = compress(_aspec_fields(files, 5), chosen)
    yield from ((0, (english, japanese)) for *_, japanese, english in fields)


def _aspec_fields(files: list[Path], count: int) -> Iterator[list[str]]:
    for path in files:
        for number, line in enumerate(read_lines(path), start=1):
            fields = [field.strip() for field in line.split("|||")]
            if len(fields) != count:
                raise UserError(
                    f"{path}, line {number}: {len(fields)} fields instead of {count} "
                    "separated by |||"
                )
            yield fields
