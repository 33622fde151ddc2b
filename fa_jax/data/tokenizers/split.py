"""Tokens as they are given, with spaces between them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Split:
    """What another program has split, such as subword-nmt: a token ends at white space."""

    @classmethod
    def learn(cls, texts: Iterable[str], language: str, size: int) -> "Split":
        return cls()

    def tokenize(self, text: str) -> list[str]:
        return text.split()

    def detokenize(self, tokens: Sequence[str]) -> str:
        return " ".join(tokens)
