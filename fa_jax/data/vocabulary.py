"""Tokens and their numbers: by frequency, after pad, begin, end and unknown."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from fa_jax.data.letters import plain_words
from fa_jax.data.tokenizers.tokenizer import SPACE

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
        return {token: n for n, token in enumerate(self.tokens) if n >= len(SPECIAL)}

    @cached_property
    def _letters(self) -> dict[str, int]:
        """Of each, the first token that has it: what a dict is given last, it keeps."""
        return {letter: n for token, n in reversed(self._numbers.items()) for letter in token}

    def rank(self, letter: str) -> int:
        """The number of the first token that has this letter; if none has, of one more token."""
        return self._letters.get(letter, len(self))

    @cached_property
    def has_capitals(self) -> bool:
        """Whether any token has one."""
        return any(map(str.isupper, self._letters))

    @cached_property
    def words(self) -> dict[str, None]:
        """Tokens that may be whole words, the most frequent first."""
        spaced = [token[1:] for token in self.tokens if token.startswith(SPACE) and token[1:]]
        return dict.fromkeys(spaced or self.tokens[len(SPECIAL) :])

    @cached_property
    def plainly(self) -> dict[str, str]:
        """Words by what is written for them on a keyboard that lacks their letters."""
        return plain_words(self.words)

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Numbers of a text's tokens; those not known become UNKNOWN. So do special ones: `</s>` in
        a text is text."""
        return [self._numbers.get(token, UNKNOWN) for token in tokens]

    def surprise(self, tokens: Iterable[str]) -> float:
        """-log p of tokens, with a token's frequency one by its rank (Zipf)."""
        ranks = [n - UNKNOWN or len(self) ** 2 for n in self.ids(tokens)]
        return sum(math.log(rank * math.log(len(self))) for rank in ranks)


def most_frequent(counts: dict[str, int], size: int) -> Vocabulary:
    """The `size` most frequent tokens, special ones included; ties in the tokens' own order."""
    known = [token for token in counts if token not in SPECIAL]
    ranked = sorted(known, key=lambda token: (-counts[token], token))
    return Vocabulary((*SPECIAL, *ranked[: max(0, size - len(SPECIAL))]))
