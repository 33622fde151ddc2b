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

    def tokenize(self, text: str) -> list[str]: ...

    def detokenize(self, tokens: Sequence[str]) -> str: ...
