"""A line's sentences.

A translator of sentences makes one sentence of whatever it reads. `sentencex` finds the sentences,
in some three hundred languages.
"""

import sentencex

from fa_jax.data.reading import read
from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES


def sentences(line: str, language: str) -> list[str]:
    """A line's sentences, without the space between them; a line of one sentence as it is."""
    found = [part.strip() for part in sentencex.segment(language, read(line))]
    found = [part for part in found if part]
    return found if len(found) > 1 else [line]


def space_between(language: str) -> str:
    """What stands between two sentences of a language."""
    return "" if language in WRITTEN_WITHOUT_SPACES else " "
