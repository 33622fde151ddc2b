"""What people add to words where nothing can be bold or small: stars around them, links as Markdown
writes them, and pictures or numbers of footnotes behind them.

A sentence is translated without them, and they come back by alignment, as tags do.
"""

import re

from fa_jax.data.markup import Element, Text

STARRED = r"(?<![\w*_~`])(?P<star>\*{1,3}|_|~~)(?![\s*_~`])(.{1,200}?)(?<!\s)(?P=star)(?![\w*_~`])"
PICTURES = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\u200d"
"""Not those of mathematics."""
FOLLOWED = rf"(?<!\w)(\w+[,;.!?]?)((?:\s?(?:[{PICTURES}]+|\[\d{{1,3}}\]))+)"
LINKED = r"([*_~]{0,3}\[)([^\[\]]{1,200})(\]\((?:[^()\s]|\([^()\s]*\)){1,200}\)[*_~]{0,3})"
ADDED = re.compile(rf"{LINKED}|{STARRED}|{FOLLOWED}")


def without_additions(sentence: str) -> Text:
    """A sentence whose elements are the words with something around or behind them."""
    text, end = Text(is_html=False), 0
    for found in ADDED.finditer(sentence):
        opening, linked, closing, stars, starred, followed, behind = found.groups(default="")
        text.letters += sentence[end : found.start()]
        first, end = len(text.unspaced), found.end()
        text.letters += linked or starred or followed
        after = closing or stars or behind
        text.elements.append(Element(opening or stars, first, len(text.unspaced), after))
    text.letters += sentence[end:]
    return text
