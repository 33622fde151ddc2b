"""Tokens and their numbers: by frequency, after pad, begin, end and unknown."""

from collections.abc import Iterable
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


def most_frequent(counts: dict[str, int], size: int) -> Vocabulary:
    """The `size` most frequent tokens, special ones included; ties in the tokens' own order."""
    known = [token for token in counts if token not in SPECIAL]
    ranked = sorted(known, key=lambda token: (-counts[token], token))
    return Vocabulary((*SPECIAL, *ranked[: max(0, size - len(SPECIAL))]))
