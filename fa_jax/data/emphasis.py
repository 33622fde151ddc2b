"""What people add to words where nothing can be bold or small: stars around them, and pictures or
numbers of footnotes behind them.

A sentence is translated without them, and they come back by alignment, as tags do.
"""

import re

from fa_jax.data.markup import Element, Text

STARRED = r"(?<![\w*_~`])(\*{1,3}|_|~~)(?![\s*_~`])(.{1,200}?)(?<!\s)\1(?![\w*_~`])"
PICTURES = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\u200d"
"""Not those of mathematics."""
FOLLOWED = rf"(?<!\w)(\w+[,;.!?]?)((?:\s?(?:[{PICTURES}]+|\[\d{{1,3}}\]))+)"
ADDED = re.compile(rf"{STARRED}|{FOLLOWED}")


def without_additions(sentence: str) -> Text:
    """A sentence whose elements are the words with something around or behind them."""
    text, end = Text(is_html=False), 0
    for found in ADDED.finditer(sentence):
        stars, starred, followed, behind = found.groups(default="")
        text.letters += sentence[end : found.start()]
        first, end = len(text.unspaced), found.end()
        text.letters += starred or followed
        text.elements.append(Element(stars, first, len(text.unspaced), stars or behind))
    text.letters += sentence[end:]
    return text
