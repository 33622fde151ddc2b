"""A line's sentences.

A translator of sentences makes one sentence of whatever it reads. `sentencex` finds the sentences,
in some three hundred languages.
"""

import sentencex

from fa_jax.data.copies import masked, unmarked
from fa_jax.data.frame import framed
from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES


def sentences(line: str, language: str) -> list[str]:
    """A line's sentences, without the space between them; a line of one sentence as it is. No
    sentence ends in what is copied."""
    text, copies = masked(line)
    found = _parted(text, language)
    return [unmarked(one, copies) for one in found] if len(found) > 1 else [line]


def _parted(text: str, language: str) -> list[str]:
    """`sentencex` parts no text that is in quotes: so it has what they are around."""
    frame = framed(text)
    segments = map(str.strip, sentencex.segment(language, frame.sentence))
    found = [segment for segment in segments if segment]
    if len(found) > 1:
        found = [sentence for segment in found for sentence in _parted(segment, language)]
    if not found:
        return [text]
    found[0] = "".join([*frame.before, found[0]])
    found[-1] = "".join([found[-1], *frame.after])
    return found


def space_between(language: str) -> str:
    """What stands between two sentences of a language."""
    return "" if language in WRITTEN_WITHOUT_SPACES else " "
