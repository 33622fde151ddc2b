"""What every tokenizer does."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

SPACE = "▁"
"""Stands for a space where tokens are characters or subwords."""
WRITTEN_WITHOUT_SPACES = ("ja", "zh", "th")
"""Languages that put no space between words."""


@runtime_checkable
class Tokenizer(Protocol):
    """`detokenize(tokenize(text))` is the text as people write it."""

    @classmethod
    def learn(cls, texts: Sequence[str], language: str, size: int) -> "Tokenizer":
        """From the training set's texts on one side, and their language's code; here nothing. size:
        tokens of the vocabulary to come, special ones included."""
        return cls()

    def tokenize(self, text: str) -> list[str]: ...

    def detokenize(self, tokens: Sequence[str]) -> str: ...
