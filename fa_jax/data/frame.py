"""What stands around a sentence and is none of its words: quotes, marks of lists, smileys.

Training hardly has such marks, and a network writes words for them. So a sentence is translated
without them, and they stand around the translation. Training's sentences have a full stop. So one
that lacks it is translated with a stop, and written without.
"""

import re
import unicodedata
from dataclasses import dataclass

from fa_jax.data.vocabulary import Vocabulary

PAIRS = (
    ('""', "“”", "„“", "»«", "«»", "「」"),
    ("‘’", "‚‘", "›‹", "‹›", "『』"),
    ("()", "（）"),
    ("[]", "［］", "【】"),
    *([(mark, mark)] for mark in ("***", "**", "*", "_", "~~", '""')),
)
"""What opens and what closes. A language has one of each row, or takes the same for two rows. Stars
and the like stand where nothing can be bold."""
SYMBOLS = "\u2190-\u2bff\U0001f000-\U0001faff\u200d"
"""Arrows to pictures, and what joins them."""
FIRST = re.compile(
    r"(?:[-–—*•·‣※>#+|]+|\(?(?:\w|\d\d|[ivx]{2,4})\)|\w:)\s+"  # of lists and headings
    r"|\[[ xX]\]\s+"  # a box of a list of tasks
    rf"|[{SYMBOLS}]+\s*"
    r"|[\[(]\d[\d\W]*?[\])]:?\s+"  # a time
    r"|(?:@\w+[:,]?\s+)+"  # who is answered
)
LAST = re.compile(
    rf"\s*(?:[:;=]['’-]?[)(\]\[DPp/\\|]+|[{SYMBOLS}]+|(?<=\s)(?:<3|\^\^|XD))$"  # smileys
    r"|(?<=[.!?。！？\x22'”’」])"
    r"(?:\[\d{1,3}\]|[¹²³⁰⁴-⁹]|\s*[\U000f0000-\U000fffff])+$"  # notes, copies
)
STOPS, FREQUENT = ".。।", 64
"""Full stops; a language has one if it is among so many of its most frequent tokens."""
MOST = 8
"""Marks around a sentence. If there are more, somebody plays."""


@dataclass(frozen=True)
class Frame:
    """A text is what stands before its sentence, mark by mark, the sentence, and what stands after
    it. Without a letter there is no sentence, and all is before it. is_open: whether it lacked the
    full stop that it has here."""

    before: tuple[str, ...]
    sentence: str
    after: tuple[str, ...] = ()
    is_open: bool = False

    def around(self, translation: str, vocabulary: Vocabulary) -> str:
        """A translation of the sentence, with the marks that the target's vocabulary has."""
        before = [_as_known(mark, 0, vocabulary) for mark in self.before]
        after = [_as_known(mark, 1, vocabulary) for mark in self.after]
        written = translation.removesuffix(stop_of(vocabulary)) if self.is_open else translation
        return "".join([*before, written, *after])


def framed(text: str, stop: str = "") -> Frame:
    """A text of one sentence, as it is read, in its parts. stop: of its language; "": it is not to
    have one."""
    before, after, left = (), (), text
    for _ in range(MOST):
        first, last = _marks_around(left)
        inner = left[len(first) : len(left) - len(last)]
        if inner == left or not _has_letter(inner):
            break
        before, left, after = (*before, first), inner, (last, *after)
    if not _has_letter(left):
        return Frame((text,), "")
    is_open = bool(stop) and not is_ended(left)
    return Frame(before, left + stop * is_open, after, is_open)


def is_ended(text: str) -> bool:
    """Whether it ends with a mark, stars apart."""
    last = text.rstrip("*_~")[-1:]
    return bool(last) and unicodedata.category(last).startswith("P")


def stop_of(vocabulary: Vocabulary) -> str:
    """The full stop that sentences end with; "" where they have none."""
    stop = min(STOPS, key=vocabulary.rank)
    return stop if vocabulary.rank(stop) < min(FREQUENT, len(vocabulary)) else ""


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


def _marks_around(text: str) -> tuple[str, str]:
    """The outermost, with the spaces beside them."""
    if found := FIRST.match(text):
        return found[0], ""
    if found := LAST.search(text):
        return "", found[0]
    for opening, closing in (pair for row in PAIRS for pair in row):
        first = text[: len(text) - len(text.removeprefix(opening).lstrip())]
        rest = text[len(first) :]
        last = rest[len(rest.removesuffix(closing).rstrip()) :]
        inner = rest[: len(rest) - len(last)]
        inches = not first and inner[-1:].isdigit()
        if (first or last) and opening not in inner and closing not in inner and not inches:
            return first, last
    return "", ""


def _as_known(mark: str, side: int, vocabulary: Vocabulary) -> str:
    """With the mark of its kind that the vocabulary has. side: 0 opens, 1 closes."""
    own = mark.strip()
    for row in PAIRS:
        if own in [pair[side] for pair in row]:
            known = min(row, key=lambda pair: max(map(vocabulary.rank, pair)))[side]
            return mark.replace(own, known) if vocabulary.rank(known) < len(vocabulary) else mark
    return mark
