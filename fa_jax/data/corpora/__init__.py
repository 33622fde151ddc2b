"""Corpora by name or folder: embedded, a user's own, ASPEC, and TFDS's translation sets."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import tensorflow_datasets as tfds

from fa_jax.cache import cache_folder
from fa_jax.data.corpora.aspec import aspec_files, read_aspec
from fa_jax.data.corpora.parallel_corpus import TextSource, prepare_corpus
from fa_jax.data.corpora.text_files import SPLITS, Pair, read_pairs, split_files
from fa_jax.errors import UserError


@dataclass(frozen=True)
class Embedded:
    """A corpus in the folder of its name. by_default: part of its languages' default."""

    languages: tuple[str, str]
    by_default: bool = True


EMBEDDED = {
    "tatoeba_en_ja": Embedded(("en", "ja")),
    "bible_de_en": Embedded(("de", "en")),
    "tatoeba_de_en": Embedded(("de", "en")),
}
READ_AT_ONCE = 4096


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
    source, target = parse_languages(languages)
    name = name or _default((source, target))
    names = [name] if Path(name).is_dir() else name.split("+")  # a folder may have one in its name
    builders, digests = zip(*(_builder(part, (source, target)) for part in names), strict=True)
    splits = {
        split: Pairs(
            [builder.as_data_source(split=split) for builder in builders], (source, target)
        )
        for split in SPLITS
    }
    return Corpus(name, source, target, _digest(*digests), **splits)


def parse_languages(languages: str) -> tuple[str, str]:
    """Source and target code of "en-ja". Raises UserError for anything else."""
    match = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", languages)
    if not match or match[1] == match[2]:
        raise UserError(
            f"languages must be two different codes, source and target, such as en-ja or de-en; "
            f"got {languages!r}"
        )
    return match[1], match[2]


def _default(languages: tuple[str, str]) -> str:
    chosen = [
        name
        for name, row in EMBEDDED.items()
        if row.by_default and {*row.languages} == {*languages}
    ]
    if not chosen:
        known = sorted({"-".join(sorted(row.languages)) for row in EMBEDDED.values()})
        raise UserError(
            f"no corpus is included for {'-'.join(languages)}: choose {', '.join(known)} (either "
            "direction), or name a folder of your own with --corpus"
        )
    return "+".join(chosen)


def _builder(name: str, languages: tuple[str, str]) -> tuple[tfds.core.DatasetBuilder, str]:
    if "_translate/" in name and not Path(name).is_dir():
        return _tfds_builder(name, languages), name
    source = _text_source(name, languages)
    if set(source.languages) != set(languages):
        raise UserError(
            f"corpus {name} holds {'-'.join(source.languages)}, not {'-'.join(languages)}"
        )
    return prepare_corpus(source, cache_folder() / "corpora"), source.digest


def _text_source(name: str, languages: tuple[str, str]) -> TextSource:
    if name in EMBEDDED:
        return _folder_source(name, Path(__file__).parent / name, EMBEDDED[name].languages)
    if name == "aspec" or name.startswith("aspec:"):
        return _aspec_source(name.removeprefix("aspec").removeprefix(":"))
    if Path(name).is_dir():
        return _folder_source("folder", Path(name), languages)
    if "/" in name or name.startswith("."):
        raise UserError(f"corpus folder {name} does not exist")
    raise UserError(
        f"unknown corpus {name!r}: choose {', '.join(EMBEDDED)}, aspec:FOLDER, a TFDS set such as "
        "wmt15_translate/de-en, or a folder that has train, validation and test files"
    )


def _folder_source(name: str, folder: Path, languages: tuple[str, str]) -> TextSource:
    """languages: in the order of columns, where a table has no header."""
    files = {split: split_files(folder, split, languages) for split in SPLITS}
    digest = _digest(*languages, *(path for split in SPLITS for path in files[split]))
    return TextSource(name, languages, digest, lambda split: read_pairs(files[split], languages))


def _aspec_source(folder: str) -> TextSource:
    if not folder or not Path(folder).is_dir():
        raise UserError(
            f"ASPEC is licensed by application and not included: name its folder as "
            f"aspec:FOLDER; {folder or 'nothing'} is no folder"
        )
    files = [path for split in SPLITS for path in aspec_files(Path(folder), split)]
    return TextSource("aspec", ("en", "ja"), _digest(*files), partial(read_aspec, Path(folder)))


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
    builder.download_and_prepare()
    return builder


def _digest(*parts: str | Path) -> str:
    """Of names, and of files' contents."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) else part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:12]
