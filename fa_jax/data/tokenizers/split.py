"""Tokens as they are given, with spaces between them."""

from collections.abc import Sequence
from dataclasses import dataclass

from fa_jax.data.tokenizers.tokenizer import Tokenizer


@dataclass(frozen=True)
class Split(Tokenizer):
    """What another program has split, such as subword-nmt: a token ends at white space."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()

    def detokenize(self, tokens: Sequence[str]) -> str:
        return " ".join(tokens)
