"""Where a corpus's text comes from, as a builder of TFDS: files in a folder, or TFDS's own sets.

Loaded when a corpus is first asked for: those who translate need not wait for TFDS.
"""

import hashlib
import io
import itertools
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from tqdm import tqdm

from fa_jax.cache import kept, place_of
from fa_jax.data.corpora import DOCUMENT, EMBEDDED, text_files
from fa_jax.data.corpora.text_files import SPLITS, OfDocument
from fa_jax.errors import UserError
from fa_jax.whole_files import write_text

logging.getLogger("absl").setLevel(logging.CRITICAL)  # TFDS warns of configurations of one's own


PAIRS_OF_EXAMPLE = 256
"""TFDS takes 60 microseconds for an example, however much it holds."""
EXAMPLES_OF_FILE = 20_000
"""Some five million pairs."""


Languages = tuple[str, str]
Read = Callable[[str], Iterator[OfDocument]]
"""Of a split, the pairs, each behind the number of its document."""


def builder_of(name: str, languages: Languages) -> tuple[tfds.core.DatasetBuilder, str]:
    """A builder whose splits are on disk, and what changes when its text does."""
    if "_translate/" in name and not Path(name).is_dir():
        return _tfds_builder(name, languages), name
    held, digest, read = _text(name, languages)
    if set(held) != set(languages):
        raise UserError(f"corpus {name} holds {'-'.join(held)}, not {'-'.join(languages)}")
    place = place_of("corpora", (digest, held, name.startswith("aspec")))
    return tfds.builder_from_directory(kept(place, partial(_write, held, read))), digest


def _write(languages: Languages, read: Read, folder: Path):
    """All pairs in the order of the files. An example holds many: a text for each language, a line
    a pair, and of each pair a number that changes from document to document.

    TFDS writes one example after the other; its builders keep a gigabyte, and need TensorFlow for
    more.
    """
    features = {code: tfds.features.Text() for code in languages}
    features[DOCUMENT] = tfds.features.Tensor(shape=(None,), dtype=np.int32)
    identity = tfds.core.DatasetIdentity("text", tfds.core.Version("1.0.0"), str(folder), "")
    info = tfds.core.DatasetInfo(
        builder=identity, features=tfds.features.FeaturesDict(features), disable_shuffling=True
    )
    writer = tfds.core.SequentialWriter(info, EXAMPLES_OF_FILE, file_format="array_record")
    writer.initialize_splits([*SPLITS])
    for split in SPLITS:
        pairs = tqdm(read(split), f"reading {split}", unit=" pairs", disable=None, leave=False)
        writer.add_examples({split: _examples(languages, iter(pairs))})
    writer.close_all()


def _examples(languages: Languages, pairs: Iterator[OfDocument]) -> Iterator[dict[str, Any]]:
    while some := [*itertools.islice(pairs, PAIRS_OF_EXAMPLE)]:
        documents, texts = zip(*some, strict=True)
        sides = map("\n".join, zip(*texts, strict=True))
        yield {**dict(zip(languages, sides, strict=True)), DOCUMENT: documents}


def _text(name: str, languages: Languages) -> tuple[Languages, str, Read]:
    """The languages that it has, in the order of its pairs, and its digest.

    languages: in the order of columns, where a table of a user's folder has no header.
    """
    if name == "aspec" or name.startswith("aspec:"):
        folder = name.removeprefix("aspec").removeprefix(":")
        if not folder or not Path(folder).is_dir():
            raise UserError(
                f"ASPEC is licensed by application and not included: name its folder as "
                f"aspec:FOLDER; {folder or 'nothing'} is no folder"
            )
        folder, languages = Path(folder), ("en", "ja")
        of_splits = (text_files.aspec_files(folder, split) for split in SPLITS)
        digest = digest_of(*itertools.chain.from_iterable(of_splits))
        read = partial(text_files.read_aspec, folder)
    elif name in EMBEDDED or Path(name).is_dir():
        folder = Path(name)
        if name in EMBEDDED:
            folder, languages = Path(__file__).parent / name, EMBEDDED[name]
        of_splits = (text_files.split_files(folder, split, languages) for split in SPLITS)
        digest = digest_of(*languages, *itertools.chain.from_iterable(of_splits))
        read = partial(text_files.read_pairs, folder, languages)
    elif Path(name).is_file():
        raise UserError(
            f"{name} is a file: name the folder that holds train, validation and test files"
        )
    elif "/" in name or name.startswith("."):
        raise UserError(f"corpus folder {name} does not exist")
    else:
        raise UserError(
            f"unknown corpus {name!r}: choose {', '.join(EMBEDDED)}, aspec:FOLDER, a TFDS set such "
            "as wmt15_translate/de-en, or a folder that has train, validation and test files, "
            f"looked for in {Path.cwd()}"
        )
    return languages, digest, read


def _tfds_builder(name: str, languages: Languages) -> tfds.core.DatasetBuilder:
    """TFDS's own sets need TensorFlow to be imported, an extra of ours."""
    try:
        builder = tfds.builder(name, file_format="array_record")
    except (ImportError, ValueError, tfds.core.DatasetNotFoundError) as error:
        if find_spec("tensorflow") is None:
            raise UserError(
                f"corpus {name} is one of TFDS's own, which need TensorFlow: "
                "pip install 'fa-jax[tensorflow]'"
            ) from error
        raise UserError(f"TFDS has no corpus {name}: {error}") from error
    held = {*builder.info.features} - {DOCUMENT}
    if not set(languages) <= held:
        raise UserError(f"corpus {name} holds {', '.join(sorted(held))}, not {'-'.join(languages)}")
    tfds.enable_progress_bar()
    builder.download_and_prepare()
    if missing := [split for split in SPLITS if split not in builder.info.splits]:
        raise UserError(f"corpus {name} has no {missing[0]} set: write its pairs into a folder")
    return builder


def digest_of(*parts: str | Path) -> str:
    """Of names, and of files' contents. It is kept: a file counts as unchanged by size and time."""
    state = [
        (part.absolute(), part.stat().st_size, part.stat().st_mtime_ns)
        if isinstance(part, Path)
        else part
        for part in parts
    ]
    place = place_of("digests", state)
    kept(place, lambda folder: write_text(folder / "digest", _digest(parts)))
    return (place / "digest").read_text()


def _digest(parts: Sequence[str | Path]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        with part.open("rb") if isinstance(part, Path) else io.BytesIO(part.encode()) as content:
            hashlib.file_digest(content, lambda: digest)
        digest.update(b"\0")
    return digest.hexdigest()[:12]
