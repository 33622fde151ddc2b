"""Pairs of texts, read from TFDS's files as they are asked for."""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from jaxtyping import Int
from tensorflow_datasets.proto import tf_example_pb2

from fa_jax.data.corpora import DOCUMENT
from fa_jax.data.corpora.text_files import Pair

READ_AT_ONCE = 64
"""Examples; which is faster than one by one."""
Features = Mapping[str, Any]
"""Of an example: texts and numbers by name."""


class Pairs(Sequence[Pair]):
    """(source, target) pairs of a split. Text of files has many in an example, as many in each
    but the last; other sets have one."""

    def __init__(
        self, builders: Sequence[tfds.core.DatasetBuilder], split: str, languages: tuple[str, str]
    ):
        """builders: their pairs stand behind each other. languages: features, source and target."""
        raw = tfds.decode.DeserializeMethod.RAW_BYTES
        self._languages = languages
        self._sets = [b.as_data_source(split=split, deserialize_method=raw) for b in builders]
        held = [[_held(data, row) for row in (0, len(data) - 1)] for data in self._sets]
        self._sizes = [first for first, _ in held]
        counts = [(len(data) - 1) * n + last for data, (n, last) in zip(self._sets, held)]
        self._starts = [*accumulate(counts, initial=0)]

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, index: int | slice) -> Pair | list[Pair]:
        if isinstance(index, slice):
            return [self[row] for row in range(len(self))[index]]
        index = range(len(self))[index]
        number = bisect(self._starts, index) - 1
        example, place = divmod(index - self._starts[number], self._sizes[number])
        features = _features(self._sets[number][example])
        source, target = (_texts(features, name)[place] for name in self._languages)
        return source, target

    def __iter__(self) -> Iterator[Pair]:
        return zip(self.side(0), self.side(1), strict=True)

    def side(self, place: int, first: int = 0, last: int | None = None) -> Iterator[str]:
        """The texts of one side, 0: source, from one pair to before another."""
        last = len(self) if last is None else last
        for data, size, start in zip(self._sets, self._sizes, self._starts, strict=False):
            begin, end = max(first - start, 0), max(last - start, 0)
            examples = _examples(data, begin // size, -(-end // size))
            texts = chain.from_iterable(_texts(each, self._languages[place]) for each in examples)
            yield from islice(texts, begin % size, max(0, end - begin + begin % size))

    def documents(self) -> Int[np.ndarray, " boundaries"]:
        """Document i is the pairs from the i-th of these numbers up to the next one.

        Text that no empty line divides has none: there each pair stands by itself.
        """
        starts = []
        for data, start in zip(self._sets, self._starts, strict=False):
            each = map(_documents, _examples(data, 0, len(data)))
            numbers = np.fromiter(chain.from_iterable(each), int)
            some = np.flatnonzero(np.diff(numbers, prepend=-1))
            starts.append(start + (some if len(some) > 1 else np.arange(len(numbers))))
        return np.append(np.concatenate(starts), len(self))


def _examples(data: Sequence[bytes], first: int, last: int) -> Iterator[Features]:
    """From one to before another."""
    numbers = range(len(data))[first:last]
    for begin in range(0, len(numbers), READ_AT_ONCE):
        yield from map(_features, data.__getitems__(numbers[begin : begin + READ_AT_ONCE]))


def _features(example: bytes) -> Features:
    """TFDS itself would make an array of each, which takes four times as long."""
    return tf_example_pb2.Example.FromString(example).features.feature


def _texts(example: Features, language: str) -> list[str]:
    text = example[language].bytes_list.value[0].decode()
    return text.split("\n") if DOCUMENT in example else [text]


def _held(data: Sequence[bytes], row: int) -> int:
    """How many pairs this example holds."""
    return len(_documents(_features(data[row])))


def _documents(example: Features) -> Sequence[int]:
    """The number of each pair's document."""
    return example[DOCUMENT].int64_list.value if DOCUMENT in example else [0]
