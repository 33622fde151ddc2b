"""Tokens and their numbers: by frequency, after pad, begin, end and unknown."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

PAD, BEGIN, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")


@dataclass(frozen=True)
class Vocabulary:
    """tokens: all of them, special ones first; a token's number is its place."""

    tokens: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.tokens)}

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Numbers of tokens; those not known become UNKNOWN."""
        return [self._numbers.get(token, UNKNOWN) for token in tokens]

    def words(self, ids: Iterable[int]) -> list[str]:
        """Tokens of numbers."""
        return [self.tokens[number] for number in ids]


def most_frequent(counts: Counter[str] | dict[str, int], size: int) -> Vocabulary:
    """The `size` most frequent tokens, special ones included; ties in the tokens' own order."""
    known = [token for token in counts if token not in SPECIAL]
    ranked = sorted(known, key=lambda token: (-counts[token], token))
    return Vocabulary((*SPECIAL, *ranked[: max(0, size - len(SPECIAL))]))


def readable(ids: Sequence[int]) -> list[int]:
    """What a reader is shown: up to the end of sentence, without pad and begin."""
    ids = list(ids)
    ids = ids[: ids.index(END)] if END in ids else ids
    return [number for number in ids if number not in (PAD, BEGIN)]
