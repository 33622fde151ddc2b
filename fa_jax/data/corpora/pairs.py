"""Pairs of texts, read from TFDS's files as they are asked for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from jaxtyping import Int
from tensorflow_datasets.proto import tf_example_pb2

from fa_jax.data.corpora import DOCUMENT
from fa_jax.data.corpora.text_files import Pair

READ_AT_ONCE = 4096
"""Which is faster than one by one."""


class Pairs(Sequence[Pair]):
    """(source, target) pairs of a split."""

    def __init__(
        self, builders: Sequence[tfds.core.DatasetBuilder], split: str, languages: tuple[str, str]
    ):
        """builders: their pairs stand behind each other. languages: features, source and target."""
        raw = tfds.decode.DeserializeMethod.RAW_BYTES
        self._parts = [b.as_data_source(split=split, deserialize_method=raw) for b in builders]
        self._languages = languages

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __getitem__(self, index: int) -> Pair:
        for data in self._parts:
            if 0 <= index < len(data):
                return self._pair(data[index])
            index -= len(data)
        raise IndexError(index)

    def __iter__(self) -> Iterator[Pair]:
        return (self._pair(record) for data in self._parts for record in _records(data))

    def side(self, place: int) -> Iterator[str]:
        """The texts of one side, 0: source."""
        name = self._languages[place]
        return (
            _features(record)[name].bytes_list.value[0].decode()
            for data in self._parts
            for record in _records(data)
        )

    def documents(self) -> Int[np.ndarray, " boundaries"]:
        """Document i is the pairs from the i-th of these numbers up to the next one.

        Text that no empty line divides has none: there each pair stands by itself.
        """
        starts, first = [], 0
        for data in self._parts:
            each = (_features(record)[DOCUMENT].int64_list.value for record in _records(data))
            numbers = np.array([number[0] if number else 0 for number in each])
            some = np.flatnonzero(np.diff(numbers, prepend=-1))
            starts.append(first + (some if len(some) > 1 else np.arange(len(data))))
            first += len(data)
        return np.append(np.concatenate(starts), first)

    def _pair(self, record: bytes) -> Pair:
        features = _features(record)
        source, target = (features[name].bytes_list.value[0] for name in self._languages)
        return source.decode(), target.decode()


def _records(data: Sequence[bytes]) -> Iterator[bytes]:
    for first in range(0, len(data), READ_AT_ONCE):
        yield from data.__getitems__(range(len(data))[first : first + READ_AT_ONCE])


def _features(record: bytes) -> Mapping[str, Any]:
    """Texts and numbers by name. TFDS itself would make an array of each, which takes four times as
    long."""
    return tf_example_pb2.Example.FromString(record).features.feature
