"""Text as it is read, before any tokenizer: what looks alike is alike.

By `unicodedata`, whose categories know every character. sentencepiece's own rules would be for its
tokenizers alone, and write other characters than clean text has.
"""

import unicodedata

KEPT = {*"\u200c\u200d\u180e\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"}
"""Formats that scripts need: joiners, and signs that are drawn, around or under numbers."""
SELECTORS = {*"\u034f\u115f\u1160\u3164\uffa0", *map(chr, (*range(0xFE00, 0xFE10), 0xFFFC))}
SELECTORS |= {*map(chr, range(0xE0100, 0xE01F0))}
"""No formats by their category, but unseen: they choose a glyph, or hold a place."""


def read(text: str) -> str:
    """A text in one line, composed (NFC), with single spaces inside and none outside.

    Any white space is a space. Controls go, and formats that are not seen and join nothing: soft
    hyphens, marks of byte order or direction, spaces without width, selectors of glyphs.
    """
    return " ".join(unicodedata.normalize("NFC", text.translate(SEEN)).split())


class _Seen(dict):
    """What is seen of each character, by its number; found when one is met first."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        unseen = unicodedata.category(character) in ("Cc", "Cf") or character in SELECTORS
        seen = "" if unseen and character not in KEPT else character
        return self.setdefault(number, " " if character.isspace() else seen)


SEEN = _Seen()


def in_one_line(text: str) -> str:
    """A text that is written: whatever may end a line or a column, or is a control, is a space."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
