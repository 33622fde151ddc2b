"""Marks as training's lines have them: of their kind, once, and with a space behind."""

import re
import unicodedata

from fa_jax.data.letters import without_marks
from fa_jax.data.vocabulary import Vocabulary

KINDS = (("'", *"’‘‚‛ʼ′`´"), ('"', *"“”„‟«»″"), ("-", *"‐‑‒–—―−"), ("...", "…"), ("~", *"〜～"))
"""What stands for the same, on a typewriter first. Unicode knows their shapes, not their sense."""
KIND_OF = {mark: kind for kind in KINDS for mark in kind}
RARER = 20
"""Times: marks that are so much rarer than others of their kind are hardly known, by their rank
(Zipf). So are those of the rarer half of the tokens that are twice as rare: characters are few."""
WIDE = ord("！") - ord("!")
TIGHT = re.compile(r"([^\W\d_][,;!?])(?=([^\W\d_]))")
"""Between two words."""
REPEATED = re.compile(r"[!?]{2,}")
PARTED = re.compile(r"\w [.,](?= |$)")
"""In a text of tokens, as other tools write them. French has a space before other marks."""
APART = re.compile(r" +(?=[.,;:!?]+(?: |$)|n?['’]\w{1,2}\b)")
"""Before a mark, or what belongs to the word before."""


def usual_marks(text: str, vocabulary: Vocabulary) -> str:
    """A text whose marks are those that training saw most of their kind.

    A wide character may be there as a plain one. A character that the vocabulary lacks may also be
    there in its compatibility form (NFKC), as a wide one or, if it is a letter, without its
    marks, as o for ö. All others stay.
    """
    usual = {character: _usual(character, vocabulary) for character in {*text}}
    return unicodedata.normalize("NFC", "".join(map(usual.__getitem__, text)))


def tidy(text: str) -> str:
    """A text whose marks at the end of a sentence are not repeated, and with a space behind a mark
    that stands between two words, where letters have cases. Where points and commas
    have a space before them, no mark keeps it."""

    def space(found: re.Match[str]) -> str:
        cased = all(letter.lower() != letter.upper() for letter in (found[1][0], found[2]))
        return found[1] + " " * cased

    text = APART.sub("", text) if PARTED.search(text) else text
    text = REPEATED.sub(lambda found: "?" if "?" in found[0] else "!", text)
    return TIGHT.sub(space, text)


def _usual(character: str, vocabulary: Vocabulary) -> str:
    rank = vocabulary.rank(character)
    half = len(vocabulary) // 2
    others = KIND_OF.get(character, ())
    if unicodedata.east_asian_width(character) == "F":
        others = (*others, unicodedata.normalize("NFKC", character))
    elif rank == len(vocabulary):
        wide = chr(ord(character) + WIDE) if "!" <= character <= "~" else character
        plain = without_marks(character) if character.isalpha() else character
        others = (*others, unicodedata.normalize("NFKC", character), wide, plain)
    for other in others:
        of_other = max(
            (vocabulary.rank(c) for c in other if not unicodedata.combining(c)), default=0
        )
        if of_other < rank >= min(RARER * of_other, max(2 * of_other, half), len(vocabulary)):
            return other
    return character
