"""Characters as tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from fa_jax.data.tokenizers.tokenizer import SPACE, Tokenizer

SPACES = str.maketrans({" ": SPACE, SPACE: "_"})
"""A block that a text holds is no space."""


@dataclass(frozen=True)
class Characters(Tokenizer):
    """One token a character; exact in both directions."""

    def tokenize(self, text: str) -> list[str]:
        return list(text.strip().translate(SPACES))

    def detokenize(self, tokens: Sequence[str]) -> str:
        return "".join(tokens).replace(SPACE, " ").strip()
