"""Corpora by name or folder: embedded, a user's own, ASPEC, and TFDS's translation sets.

All are read through TFDS, as `array_record` files and without TensorFlow.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from fa_jax.data.corpora.text_files import SPLITS, Pair
from fa_jax.errors import UserError

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
DOCUMENT = "document"
"""An example's key for the number of its document, where its corpus is made of files."""


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
            yield from map(self._pair, _examples(data))

    def documents(self) -> Int[np.ndarray, " boundaries"]:
        """Document i is the pairs from the i-th of these numbers up to the next one.

        Text that no empty line divides has none: there each pair stands by itself.
        """
        starts, first = [], 0
        for data in self._parts:
            numbers = np.array([example.get(DOCUMENT, 0) for example in _examples(data)])
            some = np.flatnonzero(np.diff(numbers, prepend=-1))
            starts.append(first + (some if len(some) > 1 else np.arange(len(data))))
            first += len(data)
        return np.append(np.concatenate(starts), first)

    def _pair(self, example: dict[str, Any]) -> Pair:
        source, target = self._keys
        return example[source].decode(), example[target].decode()


def _examples(data: Sequence[dict]) -> Iterator[dict]:
    """Many at once, which is faster."""
    for first in range(0, len(data), READ_AT_ONCE):
        rows = range(len(data))[first : first + READ_AT_ONCE]
        yield from data.__getitems__(list(rows))


@dataclass(frozen=True)
class Corpus:
    """Parallel text in one direction. digest: changes when the text does; two of one name
    and digest are equal."""

    name: str
    source_language: str
    target_language: str
    digest: str
    train: Pairs = field(compare=False)
    validation: Pairs = field(compare=False)
    test: Pairs = field(compare=False)


def load_corpus(name: str, languages: str) -> Corpus:
    """A corpus in the direction of `languages`, such as "en-ja".

    Args:
      name: one of `EMBEDDED`, a folder, `aspec:FOLDER`, a TFDS set such as
        "wmt15_translate/de-en"; several joined by "+"; empty: the languages' default.

    Raises:
      UserError: unknown names or languages, unreadable or empty files (with file and line).
    """
    from fa_jax.data.corpora.builders import Examples, builder_of, digest_of

    match = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", languages)
    if not match or match[1] == match[2]:
        raise UserError(
            f"languages must be two different codes, source and target, such as en-ja or de-en; "
            f"got {languages!r}"
        )
    codes = match.groups()
    name = name or default_corpus(codes)
    names = [name] if Path(name).is_dir() else name.split("+")  # a folder may have one in its name
    builders, digests = zip(*(builder_of(part, codes) for part in names), strict=True)
    splits = {
        split: Pairs([Examples(builder, split) for builder in builders], codes) for split in SPLITS
    }
    return Corpus(name, *codes, digest_of(*digests), **splits)


def default_corpus(languages: tuple[str, ...]) -> str:
    """Its name for a pair of languages, in either direction.

    Raises:
      UserError: none is included for them.
    """
    chosen = [name for name, held in EMBEDDED.items() if {*held} == {*languages}]
    chosen = [name for name in chosen if name not in BY_NAME_ALONE]
    if not chosen:
        known = sorted({"-".join(sorted(held)) for held in EMBEDDED.values()})
        raise UserError(
            f"no corpus is included for {'-'.join(languages)}: choose {', '.join(known)} (either "
            "direction), or name a folder of your own"
        )
    return "+".join(chosen)
