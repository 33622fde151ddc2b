"""What every tokenizer does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from fa_jax.data.vocabulary import END, SPECIAL

SPACE = "▁"
"""Stands for a space where tokens are characters or subwords."""
WRITTEN_WITHOUT_SPACES = ("ja", "zh", "th")
"""Languages that put no space between words."""


@runtime_checkable
class Tokenizer(Protocol):
    """`detokenize(tokenize(text))` is the text as people write it."""

    def tokenize(self, text: str) -> list[str]: ...

    def detokenize(self, tokens: Sequence[str]) -> str: ...


@dataclass(frozen=True)
class Ended:
    """Another tokenizer's tokens and an end of sentence, which JoeyNMT's encoders read."""

    tokenizer: Tokenizer

    def tokenize(self, text: str) -> list[str]:
        tokens = self.tokenizer.tokenize(text)
        return [*tokens, SPECIAL[END]] if tokens else tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        return self.tokenizer.detokenize([token for token in tokens if token != SPECIAL[END]])


@dataclass(frozen=True)
class Reversed:
    """Another tokenizer's tokens, the last one first (Sutskever et al. 2014)."""

    tokenizer: Tokenizer

    def tokenize(self, text: str) -> list[str]:
        return self.tokenizer.tokenize(text)[::-1]

    def detokenize(self, tokens: Sequence[str]) -> str:
        return self.tokenizer.detokenize(tokens[::-1])
