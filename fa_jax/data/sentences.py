"""A line's sentences.

A translator of sentences makes one sentence of whatever it reads. `sentencex` finds the sentences,
in some three hundred languages.
"""

import sentencex

from fa_jax.data.frame import framed
from fa_jax.data.reading import read
from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES


def sentences(line: str, language: str) -> list[str]:
    """A line's sentences, without the space between them; a line of one sentence as it is."""
    parts = _segments(read(line), language)
    found = [sentence for part in parts for sentence in _without_quotes(part, language)]
    return found if len(found) > 1 else [line]


def _without_quotes(text: str, language: str) -> list[str]:
    """The sentences of what counts as one, since it is in quotes or brackets."""
    frame = framed(text)
    first, *others = _segments(frame.sentence, language) or [""]
    if not others:
        return [text]
    *between, last = others
    return ["".join([*frame.before, first]), *between, "".join([last, *frame.after])]


def _segments(text: str, language: str) -> list[str]:
    return [part for part in map(str.strip, sentencex.segment(language, text)) if part]


def space_between(language: str) -> str:
    """What stands between two sentences of a language."""
    return "" if language in WRITTEN_WITHOUT_SPACES else " "
