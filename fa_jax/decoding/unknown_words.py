"""Unknown words in translations are replaced through the alignment (Luong et al. 2015, 4.1)."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
from jaxtyping import Int

from fa_jax.data.tokenizers.tokenizer import SPACE
from fa_jax.data.vocabulary import SPECIAL, UNKNOWN


def replace_unknown(
    tokens: Sequence[str],
    source_tokens: Sequence[str],
    looked_at: Int[np.ndarray, " T"],
    dictionary: Mapping[str, str],
    copies: Sequence[str],
) -> list[str]:
    """Each `<unk>` becomes the translation of the source token that it looked at most.

    Args:
      source_tokens: as the run reads them. looked_at: the place in them that each token comes from.
      dictionary: translations of source tokens. copies: what stands for those that it lacks.
    """
    return [
        dictionary.get(source_tokens[place], copies[place]) if token == SPECIAL[UNKNOWN] else token
        for token, place in zip(tokens, looked_at, strict=False)
    ]


def whole_words(subwords: Sequence[str], *, spaced: bool) -> list[str]:
    """For each subword of a text the word that it is a part of. spaced: whether there is a space
    between words; if not, each subword is one."""
    if not spaced:
        return [subword.replace(SPACE, "") for subword in subwords]
    words = "".join(subwords).split(SPACE)
    return [words[number] for number in accumulate(s.count(SPACE) for s in subwords)]
