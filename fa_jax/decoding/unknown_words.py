"""Unknown words in translations are replaced through the alignment (Luong et al. 2015, 4.1)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np
from jaxtyping import Float

from fa_jax.data.tokenizers.tokenizer import SPACE
from fa_jax.data.vocabulary import SPECIAL, UNKNOWN
from fa_jax.errors import UserError


def replace_unknown(
    tokens: Sequence[str],
    source_tokens: Sequence[str],
    weights: Float[np.ndarray, "T S"],
    dictionary: Mapping[str, str],
) -> list[str]:
    """Each `<unk>` becomes the translation of the source token that it looked at most.

    Args:
      source_tokens: as the text has them. weights: a row for each token (more are not read).
      dictionary: translations of source tokens; what is not in it is copied.
    """
    looked_at = [source_tokens[int(row.argmax())] for row in weights[: len(tokens)]]
    return [
        dictionary.get(source, source) if token == SPECIAL[UNKNOWN] else token
        for token, source in zip(tokens, looked_at, strict=True)
    ]


def whole_words(subwords: Sequence[str], *, spaced: bool) -> list[str]:
    """For each subword of a text the word that it is a part of. spaced: whether there is a space
    between words; if not, each subword is one."""
    if not spaced:
        return [subword.replace(SPACE, "") for subword in subwords]
    numbers = list(accumulate(subword.startswith(SPACE) for subword in subwords))
    words: dict[int, str] = defaultdict(str)
    for number, subword in zip(numbers, subwords, strict=True):
        words[number] += subword.replace(SPACE, "")
    return [words[number] for number in numbers]


def read_dictionary(path: Path) -> dict[str, str]:
    """Source word, tab, translation on each line; of several lines for a word the first counts.

    Raises:
      UserError: the file cannot be read, or a line has no tab.
    """
    found: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, start=1):
                word, tab, translation = line.rstrip("\r\n").partition("\t")
                if not tab:
                    raise UserError(f"{path}, line {number}: no tab between word and translation")
                found.setdefault(word, translation)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"dictionary {path} cannot be read: {error}") from error
    return found
