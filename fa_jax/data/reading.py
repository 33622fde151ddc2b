"""Text as it is read, before any tokenizer: what looks alike is alike.

By `unicodedata`, whose categories know every character. sentencepiece's own rules would be for its
tokenizers alone, and write other characters than clean text has.
"""

import html
import re
import unicodedata
from html.entities import html5

KEPT = {*"\u200c\u200d\u180e\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"}
"""Formats that scripts need: joiners, and signs that are drawn, around or under numbers."""
SELECTORS = {*"\u034f\u115f\u1160\u3164\uffa0", *map(chr, (*range(0xFE00, 0xFE10), 0xFFFC))}
SELECTORS |= {*map(chr, range(0xE0100, 0xE01F0))}
"""No formats by their category, but unseen: they choose a glyph, or hold a place."""
MISREAD = re.compile("[ÂÃâãĂ√‚]")
"""What the first bytes of characters look like where UTF-8 was decoded by another table."""
ENTITY = re.compile(r"&(?:amp;)*(#\d{1,7}|#[xX][\da-fA-F]{1,6}|\w+);")
"""What HTML writes for a character, which whoever copies a page may write again: `&amp;quot;`."""


def read(text: str) -> str:
    """A text in one line, composed (NFC), with single spaces inside and none outside.

    Any white space is a space, an entity of HTML the character that it stands for, and UTF-8 that
    was decoded by another table, as in *donâ€™t*, is what it was (by ftfy). Controls go, and
    formats that are not seen and join nothing: soft hyphens, marks of byte order or direction,
    spaces without width, selectors of glyphs.
    """
    if MISREAD.search(text):
        from ftfy import fix_encoding  # loaded where it is needed: it takes a moment

        text = fix_encoding(text)
    if "&" in text:
        text = ENTITY.sub(_character, text)
    return " ".join(seen(text).split())


def seen(text: str) -> str:
    """A text composed (NFC), without what is not seen and joins nothing; white space is a space."""
    return unicodedata.normalize("NFC", text.translate(SEEN))


def _character(entity: re.Match) -> str:
    """Words that are no entity stay: html.unescape would find "not" in "&nothing;"."""
    name = f"{entity[1]};"
    return html.unescape(f"&{name}") if name[0] == "#" or name in html5 else entity[0]


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
