"""Corpora by name or folder: embedded, a user's own, ASPEC, and TFDS's translation sets.

All are read through TFDS, as `array_record` files and without TensorFlow.
"""

import contextlib
import hashlib
import io
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import tensorflow_datasets as tfds

from fa_jax.cache import cache_folder, lock
from fa_jax.data.corpora.text_files import (
    SPLITS,
    Pair,
    aspec_files,
    read_aspec,
    read_pairs,
    split_files,
)
from fa_jax.errors import UserError

logging.getLogger("absl").setLevel(logging.CRITICAL)  # TFDS warns of configurations of one's own

EMBEDDED = {
    "tatoeba_en_ja": ("en", "ja"),
    "bible_de_en": ("de", "en"),
    "tatoeba_de_en": ("de", "en"),
    "bible_de_en_chapters": ("de", "en"),
}
"""Corpora in the folders of these names."""
BY_NAME_ALONE = ("bible_de_en_chapters",)
"""Its training set holds test sentences of another corpus. The others are a language pair's
default, all together."""
READ_AT_ONCE = 4096


@dataclass
class TextSource(tfds.core.BuilderConfig):
    """Text as it was found. name, digest: change with the text. read(split) yields pairs."""

    languages: tuple[str, str] = ()
    digest: str = ""
    read: Callable[[str], Iterator[Pair]] | None = None


class ParallelCorpus(tfds.core.GeneratorBasedBuilder):
    """The one builder of all text: a text feature for each language, in the order of the files."""

    VERSION = tfds.core.Version("1.1.0")

    def _info(self) -> tfds.core.DatasetInfo:
        features = {code: tfds.features.Text() for code in self.builder_config.languages}
        return tfds.core.DatasetInfo(
            builder=self, features=tfds.features.FeaturesDict(features), disable_shuffling=True
        )

    def _split_generators(self, dl_manager):
        return {split: self._generate_examples(split) for split in SPLITS}

    def _generate_examples(self, split: str):
        source = self.builder_config
        for number, pair in enumerate(source.read(split)):
            yield number, dict(zip(source.languages, pair, strict=True))


class Pairs(Sequence[Pair]):
    """(source, target) pairs of a split; read from disk as they are asked for."""

    def __init__(self, parts: Sequence[Sequence], keys: tuple[str, str]):
        """parts: random-access data sources of examples. keys: the two sides' in an example."""
        self._parts, self._keys = parts, keys

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __getitem__(self, index: int) -> Pair:
        for data in self._parts:
            if 0 <= index < len(data):
                return self._pair(data[index])
            index -= len(data)
        raise IndexError(index)

    def __iter__(self) -> Iterator[Pair]:
        for data in self._parts:
            for first in range(0, len(data), READ_AT_ONCE):
                rows = range(len(data))[first : first + READ_AT_ONCE]
                yield from map(self._pair, data.__getitems__(list(rows)))

    def _pair(self, example: dict[str, bytes]) -> Pair:
        source, target = self._keys
        return example[source].decode(), example[target].decode()


@dataclass(frozen=True)
class Corpus:
    """Parallel text in one direction. digest: changes when the text does."""

    name: str
    source_language: str
    target_language: str
    digest: str
    train: Pairs
    validation: Pairs
    test: Pairs


def load_corpus(name: str, languages: str) -> Corpus:
    """A corpus in the direction of `languages`, such as "en-ja".

    Args:
      name: one of `EMBEDDED`, a folder, `aspec:FOLDER`, a TFDS set such as
        "wmt15_translate/de-en"; several joined by "+"; empty: the languages' default.

    Raises:
      UserError: unknown names or languages, unreadable or empty files (with file and line).
    """
    match = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", languages)
    if not match or match[1] == match[2]:
        raise UserError(
            f"languages must be two different codes, source and target, such as en-ja or de-en; "
            f"got {languages!r}"
        )
    codes = match.groups()
    name = name or _default(codes)
    names = [name] if Path(name).is_dir() else name.split("+")  # a folder may have one in its name
    builders, digests = zip(*(_builder(part, codes) for part in names), strict=True)
    splits = {
        split: Pairs([builder.as_data_source(split=split) for builder in builders], codes)
        for split in SPLITS
    }
    return Corpus(name, *codes, _digest(*digests), **splits)


def _default(languages: tuple[str, str]) -> str:
    chosen = [name for name, held in EMBEDDED.items() if {*held} == {*languages}]
    chosen = [name for name in chosen if name not in BY_NAME_ALONE]
    if not chosen:
        known = sorted({"-".join(sorted(held)) for held in EMBEDDED.values()})
        raise UserError(
            f"no corpus is included for {'-'.join(languages)}: choose {', '.join(known)} (either "
            "direction), or name a folder of your own with --corpus"
        )
    return "+".join(chosen)


def _builder(name: str, languages: tuple[str, str]) -> tuple[tfds.core.DatasetBuilder, str]:
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
        digest = _digest(*(path for split in SPLITS for path in aspec_files(Path(folder), split)))
        kind, languages, read = "aspec", ("en", "ja"), partial(read_aspec, Path(folder))
    elif name in EMBEDDED or Path(name).is_dir():
        kind, folder = "folder", Path(name)
        if name in EMBEDDED:
            kind, folder, languages = name, Path(__file__).parent / name, EMBEDDED[name]
        files = [path for split in SPLITS for path in split_files(folder, split, languages)]
        digest = _digest(*languages, *files)
        read = partial(read_pairs, folder, languages)
    elif "/" in name or name.startswith("."):
        raise UserError(f"corpus folder {name} does not exist")
    else:
        raise UserError(
            f"unknown corpus {name!r}: choose {', '.join(EMBEDDED)}, aspec:FOLDER, a TFDS set such "
            "as wmt15_translate/de-en, or a folder that has train, validation and test files"
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
    held = set(builder.info.features)
    if not set(languages) <= held:
        raise UserError(f"corpus {name} holds {', '.join(sorted(held))}, not {'-'.join(languages)}")
    tfds.enable_progress_bar()
    builder.download_and_prepare()
    return builder


def _digest(*parts: str | Path) -> str:
    """Of names, and of files' contents."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) else part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:12]
