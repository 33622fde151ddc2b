"""HTML: texts to translate, and the tags inside them.

By the standard library's parser, which says where in a page each part stands: what is no text stays
letter by letter as it was. Parsers that make a tree write a page anew.
"""

import html
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import groupby

import numpy as np

from fa_jax.data.reading import seen

INLINE = {
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "data", "del", "dfn", "em"),
    *("font", "i", "ins", "label", "mark", "q", "s", "small", "span", "strike", "strong", "sub"),
    *("sup", "time", "tt", "u"),
}
"""Elements inside a text. Others part it."""
COPIED = {"code", "kbd", "samp", "var"}
"""Inside a text, too, but no language."""
UNTOUCHED = {*COPIED, "math", "pre", "script", "style", "svg", "template", "textarea"}
ALONE = {"img", "wbr", "#comment"}
"""Inside a text, without an end."""
NO_CONTENT = {*ALONE, "area", "base", "br", "col", "embed", "hr", "input", "link", "meta", "source"}
BODIES = ("tbody", "tfoot", "thead")
ENDED = {
    **dict.fromkeys(("option", "optgroup"), ("option",)),
    **dict.fromkeys(("dd", "dt"), ("dd", "dt")),
    **dict.fromkeys(("td", "th"), ("td", "th")),
    **dict.fromkeys(BODIES, ("td", "th", "tr", *BODIES)),
    **dict.fromkeys(
        (
            *("address", "article", "aside", "blockquote", "center", "details", "dialog", "dir"),
            *("div", "dl", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3"),
            *("h4", "h5", "h6", "header", "hgroup", "hr", "main", "menu", "nav", "ol", "p", "pre"),
            *("search", "section", "table", "ul"),
        ),
        ("p",),
    ),
    "li": ("li",),
    "tr": ("td", "th", "tr"),
}
"""Elements that need no end tag: those that end where one of this name begins."""
WITHIN = {"button", "dl", "menu", "object", "ol", "select", "table", "ul"}
"""What is in these ends nothing around them."""
LINKS = re.compile(r"(?<=[^\W\d_]</a>)(?=<a\s[^>]*>[^\W\d_])", re.IGNORECASE)
"""Between two whose words touch, such as those of a menu: on the page they stand apart."""
DEEPEST = 200
"""Elements in each other, at most: those further in are around nothing."""
COPY = 0x100000
"""The first of the private characters that stand for what is copied."""


@dataclass
class Element:
    """A tag, or two, and what they are around: numbers of letters, without spaces."""

    opening: str
    first: int
    last: int
    closing: str = ""
    inside: list["Element"] = field(default_factory=list)


@dataclass
class Text:
    """A text without its tags. copies: what private characters stand for, in their order. is_html:
    if not, tags without words are left out."""

    letters: str = ""
    elements: list[Element] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    is_html: bool = True

    @property
    def unspaced(self) -> str:
        """Its letters as elements count them."""
        return "".join(self.letters.split())


@dataclass(frozen=True)
class _Part:
    """What stands in a page from here up to the next one. kind: text, open, close, alone, or
    untouched, which is an element with all in it. name: of an element."""

    start: int
    kind: str
    name: str = ""

    @property
    def is_inside(self) -> bool:
        """Whether it does not part a text."""
        return self.kind == "text" or self.name in INLINE | COPIED | ALONE


class _Parser(HTMLParser):
    def __init__(self, page: str):
        super().__init__(convert_charrefs=False)
        self.parts: list[_Part] = []
        self._open: list[str] = []
        self._places: dict[str, list[int]] = defaultdict(list)  # of those of a name, among all
        self._around = math.inf  # so many elements are open around an untouched one
        self._lines = [0, *(found.end() for found in re.finditer("\n", page))]
        self.feed(page)
        self.close()

    def _add(self, kind: str, name: str = ""):
        if len(self._open) <= self._around:
            line, column = self.getpos()
            self.parts.append(_Part(self._lines[line - 1] + column, kind, name))

    def _innermost(self, names: Iterable[str]) -> int:
        """The place of the open element that is so called; -1 without one."""
        return max((self._places[name][-1] for name in names if self._places[name]), default=-1)

    def _end(self, place: int):
        """Ends an element, by its place among those that are open, and all in it."""
        for name in self._open[place:]:
            self._places[name].pop()
        del self._open[place:]
        if place <= self._around:
            self._around = math.inf

    def handle_starttag(self, tag, attrs):
        while (place := self._innermost(ENDED.get(tag, ()))) > self._innermost(WITHIN):
            self._end(place)
        if tag in NO_CONTENT:
            return self._add("alone", tag)
        given = {name: value or "" for name, value in attrs}
        no = given.get("translate", "").lower() == "no"
        untouched = no or tag in UNTOUCHED or "notranslate" in given.get("class", "").split()
        self._add("untouched" if untouched else "open", tag)
        if untouched:
            self._around = min(self._around, len(self._open))
        self._places[tag].append(len(self._open))
        self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self._add("alone", tag)

    def handle_endtag(self, tag):
        around = self._around
        if (place := self._innermost([tag])) >= 0:
            self._end(place)
        if len(self._open) != around:  # else it is the untouched element's own
            self._add("close", tag)

    def handle_data(self, data):
        self._add("text")

    handle_entityref = handle_charref = handle_data

    def handle_comment(self, data):
        self._add("alone", "#comment")

    def handle_decl(self, decl):
        self._add("alone", "!")

    handle_pi = unknown_decl = handle_decl


def pieces(page: str) -> list[str]:
    """What a page is, if they are joined. Those at odd places are texts, with the tags in them."""
    found = [""]
    for is_text, parts in groupby(_parts(page), lambda one: one[1].is_inside):
        for piece in LINKS.split("".join(raw for raw, _ in parts)):
            inner = piece.strip()
            if is_text and any(map(str.isalpha, text_of(inner).letters)):
                before, _, after = piece.partition(inner)
                found[-1:] = [found[-1] + before, inner, after]
            else:
                found[-1] += piece
    return found


def _parts(page: str) -> Iterator[tuple[str, _Part]]:
    """What a page consists of, as it is written."""
    parts = _Parser(page).parts
    if page and (not parts or parts[0].start):  # the parser is silent of "</>"
        parts.insert(0, _Part(0, "alone", "!"))
    for part, end in zip(parts, [*(part.start for part in parts[1:]), len(page)]):
        yield page[part.start : end], part


def text_of(piece: str) -> Text:
    """The text of one of the `pieces` that are texts."""
    text, whole, length = Text(), Element("", 0, 0), 0
    around, opened = [("", whole)], Counter()  # open elements and their names

    def end():
        name, element = around.pop()
        opened[name] -= 1
        element.last = length

    for raw, part in _parts(piece):
        if part.kind == "text":
            letters = seen(html.unescape(raw))
            text.letters, length = text.letters + letters, length + len("".join(letters.split()))
        elif part.kind == "untouched":
            text.letters, length = text.letters + chr(COPY + len(text.copies)), length + 1
            text.copies.append(raw)
        elif part.kind == "close" and opened[part.name]:
            while around[-1][0] != part.name:
                end()
            around[-1][1].closing = raw
            end()
        else:
            element = Element(raw, length, length)
            around[-1][1].inside.append(element)
            if part.kind == "open" and len(around) < DEEPEST:
                around.append((part.name, element))
                opened[part.name] += 1
    while around:
        end()
    text.elements = whole.inside
    return text


def with_tags(
    text: Text,
    translation: str,
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
) -> str:
    """A translation with the tags of its text around the words that come from what they were
    around: of adjacent words those with most links to it, and fewest to others.

    source, target: words of the text and of the translation. links: numbers of both.
    """
    letters, lengths = text.unspaced, np.array([len(word) for word in source], int)
    ends = lengths.cumsum()
    linked = np.zeros((len(target), len(source)))
    for of_source, of_target in links:
        linked[of_target, of_source] += 1
    spans, at = [], 0
    for word in target:
        at = max(at, translation.find(word, at))
        spans.append((at, at + len(word)))
        at += len(word)
    copies = {COPY + number: raw for number, raw in enumerate(text.copies)}

    def shares(element: Element) -> np.ndarray:
        """Of each target word how many of its links are to the element, less one half."""
        own = (ends > element.first) & (ends - lengths < max(element.last, element.first + 1))
        every = linked.sum(1)
        return np.where(every, linked[:, own].sum(1) / np.maximum(every, 1) - 0.5, -0.25)

    def part_for(element: Element, free: Sequence[int], end: int) -> tuple[int, int]:
        """Letters of the translation, of these words."""
        share, best = shares(element), (-0.5, end, end)
        for place, first in enumerate(free):
            total = 0.0
            for count, word in enumerate(free[place:]):
                if word != first + count:
                    break
                total += share[word]
                best = max(best, (total, spans[first][0], spans[word][1]), key=lambda b: b[0])
        _, start, stop = best
        if element.first == element.last:
            return (start, start) if element.last < len(letters) else (end, end)
        inner = translation[start:stop]
        if letters[element.last - 1].isalnum():
            stop -= len(inner) - len(re.sub(r"\W+$", "", inner) or inner)
        if letters[element.first].isalnum():
            start += len(inner) - len(re.sub(r"^\W+", "", inner) or inner)
        return start, stop

    def written(elements: Sequence[Element], start: int, stop: int) -> str:
        """A part of the translation, with these elements in it."""
        free = [n for n, span in enumerate(spans) if start <= span[0] < stop]
        placed = []
        for element in elements:
            first, last = part_for(element, free, stop)
            free = [n for n in free if spans[n][1] <= first or spans[n][0] >= last]
            placed.append((first, last, element))
        found, at = [], start
        for first, last, element in sorted(placed, key=lambda one: one[:2]):
            inner = written(element.inside, first, last)
            if text.is_html or inner:
                found += [plain(at, first), element.opening, inner, element.closing]
                at = last
        return "".join([*found, plain(at, stop)])

    def plain(start: int, stop: int) -> str:
        part = translation[start:stop]
        return (html.escape(part, quote=False) if text.is_html else part).translate(copies)

    return written(text.elements, 0, len(translation))
