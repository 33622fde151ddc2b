"""Where a corpus's text comes from, as a builder of TFDS: files in a folder, or TFDS's own sets.

Loaded when a corpus is first asked for: those who translate need not wait for TFDS.
"""

import contextlib
import hashlib
import io
import itertools
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import tensorflow_datasets as tfds

from fa_jax.cache import cache_folder, lock
from fa_jax.data.corpora import DOCUMENT, EMBEDDED
from fa_jax.data.corpora.text_files import (
    SPLITS,
    OfDocument,
    aspec_files,
    read_aspec,
    read_pairs,
    split_files,
)
from fa_jax.errors import UserError
from fa_jax.whole_files import write_text

logging.getLogger("absl").setLevel(logging.CRITICAL)  # TFDS warns of configurations of one's own


@dataclass
class TextSource(tfds.core.BuilderConfig):
    """Text as it was found. name, digest: change with the text. read(split) yields pairs, each
    behind the number of its document."""

    languages: tuple[str, str] = ()
    digest: str = ""
    read: Callable[[str], Iterator[OfDocument]] | None = None


READ_AT_ONCE = 2**20
"""Bytes of a file."""
PAIRS_OF_EXAMPLE = 256
"""TFDS takes 60 microseconds for an example, however much it holds."""


class ParallelCorpus(tfds.core.GeneratorBasedBuilder):
    """The one builder of all text, in the order of the files. An example holds many pairs: a text
    for each language, a line a pair, and of each pair a number that changes from document to
    document."""

    VERSION = tfds.core.Version("1.3.0")

    def _info(self) -> tfds.core.DatasetInfo:
        features = {code: tfds.features.Text() for code in self.builder_config.languages}
        features[DOCUMENT] = tfds.features.Tensor(shape=(None,), dtype=np.int32)
        return tfds.core.DatasetInfo(
            builder=self, features=tfds.features.FeaturesDict(features), disable_shuffling=True
        )

    def _split_generators(self, dl_manager):
        return {split: self._generate_examples(split) for split in SPLITS}

    def _generate_examples(self, split: str):
        languages, pairs = self.builder_config.languages, self.builder_config.read(split)
        for number in itertools.count():
            if not (some := [*itertools.islice(pairs, PAIRS_OF_EXAMPLE)]):
                break
            documents, texts = zip(*some, strict=True)
            sides = map("\n".join, zip(*texts, strict=True))
            yield number, {**dict(zip(languages, sides, strict=True)), DOCUMENT: documents}


def builder_of(name: str, languages: tuple[str, str]) -> tuple[tfds.core.DatasetBuilder, str]:
    """A builder whose splits are on disk, and what changes when its text does."""
    if "_translate/" in name and not Path(name).is_dir():
        return _tfds_builder(name, languages), name
    source = _text_source(name, languages)
    if set(source.languages) != set(languages):
        raise UserError(
            f"corpus {name} holds {'-'.join(source.languages)}, not {'-'.join(languages)}"
        )
    folder = cache_folder() / "corpora"
    tfds.disable_progress_bar()  # a bar a split
    with contextlib.redirect_stdout(io.StringIO()), lock(folder / source.name):
        builder = ParallelCorpus(config=source, data_dir=folder, file_format="array_record")
        builder.download_and_prepare()  # TFDS renames splits when they are whole
    return builder, source.digest


def _text_source(name: str, languages: tuple[str, str]) -> TextSource:
    """languages: in the order of columns, where a table of a user's folder has no header."""
    if name == "aspec" or name.startswith("aspec:"):
        folder = name.removeprefix("aspec").removeprefix(":")
        if not folder or not Path(folder).is_dir():
            raise UserError(
                f"ASPEC is licensed by application and not included: name its folder as "
                f"aspec:FOLDER; {folder or 'nothing'} is no folder"
            )
        digest = digest_of(*(path for split in SPLITS for path in aspec_files(Path(folder), split)))
        kind, languages, read = "aspec", ("en", "ja"), partial(read_aspec, Path(folder))
    elif name in EMBEDDED or Path(name).is_dir():
        kind, folder = "folder", Path(name)
        if name in EMBEDDED:
            kind, folder, languages = name, Path(__file__).parent / name, EMBEDDED[name]
        files = [path for split in SPLITS for path in split_files(folder, split, languages)]
        digest = digest_of(*languages, *files)
        read = partial(read_pairs, folder, languages)
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
    return TextSource(name=f"{kind}-{digest}", languages=languages, digest=digest, read=read)


def _tfds_builder(name: str, languages: tuple[str, str]) -> tfds.core.DatasetBuilder:
    """TFDS's own sets need TensorFlow to be imported, an extra of ours."""
    try:
        builder = tfds.builder(name, file_format="array_record")
    except (ImportError, tfds.core.DatasetNotFoundError) as error:
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
    return builder


def digest_of(*parts: str | Path) -> str:
    """Of names, and of files' contents. It is kept: a file counts as unchanged by size and time."""
    files = [part for part in parts if isinstance(part, Path)]
    known = [
        (str(path.resolve()), stat.st_size, stat.st_mtime_ns)
        for path in files
        for stat in [path.stat()]
    ]
    name = hashlib.sha256(repr((known, [*map(str, parts)])).encode()).hexdigest()[:16]
    kept = cache_folder() / "digests" / name
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_text(kept, _digest(parts))
    return kept.read_text()


def _digest(parts: Sequence[str | Path]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        with part.open("rb") if isinstance(part, Path) else io.BytesIO(part.encode()) as content:
            while block := content.read(READ_AT_ONCE):
                digest.update(block)
        digest.update(b"\0")
    return digest.hexdigest()[:12]
