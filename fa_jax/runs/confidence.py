"""How sure a run is of each word that it wrote."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from fa_jax.data.tokenizers.tokenizer import SPACE, WRITTEN_WITHOUT_SPACES
from fa_jax.data.vocabulary import END, SPECIAL


def word_confidences(
    tokens: Sequence[str], log_probs: Sequence[float], language: str
) -> list[tuple[str, float]]:
    """Each word, and the geometric mean of its tokens' probabilities; ends of sentences are none.

    A token is a word in a language without spaces, and where no token brings a space.
    """
    spaced = language not in WRITTEN_WITHOUT_SPACES and any(SPACE in token for token in tokens)
    number, numbers = 0, []
    for place, token in enumerate(tokens):
        number += not spaced or token.startswith(SPACE) or SPECIAL[END] in tokens[place - 1 : place]
        numbers.append(number)
    found = []
    for _, group in groupby(zip(numbers, tokens, log_probs, strict=True), lambda one: one[0]):
        pieces = [(token, p) for _, token, p in group if token != SPECIAL[END]]
        if pieces:
            word = "".join(token for token, _ in pieces).replace(SPACE, "")
            found.append((word, float(np.exp(np.mean([p for _, p in pieces])))))
    return found
