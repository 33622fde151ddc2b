"""Stars and the like around words, as people write bold ones where nothing can be bold.

A sentence is translated without them, and they come back by alignment, as tags do.
"""

import re

from fa_jax.data.markup import Element, Text

STARRED = re.compile(r"(?<![\w*_~`])(\*{1,3}|_|~~)(?![\s*_~`])(.{1,200}?)(?<!\s)\1(?![\w*_~`])")


def without_stars(sentence: str) -> Text:
    """A sentence whose starred words are its elements."""
    text, end = Text(is_html=False), 0
    for found in STARRED.finditer(sentence):
        stars, words = found.groups()
        text.letters += sentence[end : found.start()]
        first, end = _count(text.letters), found.end()
        text.letters += words
        text.elements.append(Element(stars, first, _count(text.letters), stars))
    text.letters += sentence[end:]
    return text


def _count(text: str) -> int:
    return len(text.replace(" ", ""))
