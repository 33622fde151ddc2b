"""What is no language, and is copied: private characters stand for it while the rest is read."""

import re
from collections.abc import Container, Sequence

from fa_jax.data.reading import read

VERBATIM = re.compile(
    r"(?<![A-Za-z`])(?:`[^`]{1,200}`|(`{2,3})(?!`).{1,200}?(?<!`)\1)(?!`)"  # code
    r"|[\ue000-\uf8ff\U000f0000-\U0010ffff]"  # private: pictures of a font, a caller's own
)
"""Not even its white space and its entities are read."""
COPIED = re.compile(
    r"(?:https?://|www\.)(?:[^\s<>\"()。、「」]|\([^\s<>\"()]*\))*"
    r"(?:[^\s<>\".,;:!?()'。、「」]|\([^\s<>\"()]*\))"  # web addresses
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # mail addresses
    r"|(?<!\S)(?:~?/|\.{1,2}/|[A-Z]:\\)[\w./\\-]*[\w/\\]"  # paths
    r"|(?<![\w.-])[\w.-]*\w\.(?:com|org|net|txt|pdf|docx?|xlsx?|html?|jpe?g|png|zip|csv|json|py)\b"
    r"|!\[[^\[\]]{0,200}\]\((?:[^()\s]|\([^()\s]*\)){1,200}\)"  # pictures of Markdown
    r"|(?<![^\s(])\.[A-Za-z]\w+"  # files without a name, .NET
    r"|(?<!\w)v\d+(?:\.\d+)+"  # versions
    r"|(?<![\w+])\+\d(?:[ ()/.-]{0,2}\d){5,14}(?!\w)"  # telephone numbers
    r"|%(?:\(\w+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?[a-zA-Z](?![a-zA-Z])"  # %s, %(name)s, %1$d
    r"|(?<!\{)\$?\{+[\w.:!$-]*\}+|\{\{[^{}]{1,100}\}\}"  # {0}, {name}, ${NAME}, {{ name }}
    r"|(?<!\w)#\w+|(?<=\S\s)@\w+"  # of social networks, but for who is answered
    r"|\\[nrt](?!\w)"  # a program's line breaks
)
MARK = 0xF0000
"""The first of the private characters that stand for copies, and for terms."""


def masked(line: str, terms: Container[str] = ()) -> tuple[str, list[str]]:
    """A line as it is read, with a private character in place of each copy; and the copies. terms:
    what is translated all the same."""
    copies: dict[int, str] = {}

    def mark(found: re.Match[str]) -> str:
        if found[0] in terms:
            return found[0]
        number = MARK + len(copies)
        copies[number] = found[0].translate(copies)
        return chr(number)

    text = COPIED.sub(mark, read(VERBATIM.sub(mark, line)))
    return text, [*copies.values()]


def unmarked(text: str, written: Sequence[str]) -> str:
    """With what the characters stand for."""
    return text.translate({MARK + number: one for number, one in enumerate(written)})
