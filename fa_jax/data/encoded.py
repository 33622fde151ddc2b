"""Texts as numbers."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int


@dataclass(frozen=True)
class EncodedTexts:
    """Many texts' numbers behind each other; text i is tokens[offsets[i]:offsets[i + 1]]."""

    tokens: Int[np.ndarray, " tokens"]
    offsets: Int[np.ndarray, " boundaries"]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int | np.integer) -> Int[np.ndarray, " length"]:
        return self.tokens[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> Int[np.ndarray, " texts"]:
        """Tokens of each text."""
        return np.diff(self.offsets)

    def take(self, rows: Int[np.ndarray, " rows"]) -> "EncodedTexts":
        """These texts alone, in this order, in memory."""
        lengths = self.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return EncodedTexts(np.asarray(self.tokens[places]), offsets)


@dataclass(frozen=True)
class EncodedPairs:
    """Sentence pairs; row i of both sides belongs together."""

    source: EncodedTexts
    target: EncodedTexts

    @property
    def lengths(self) -> Int[np.ndarray, "2 pairs"]:
        """Tokens of each side."""
        return np.stack([self.source.lengths, self.target.lengths])
