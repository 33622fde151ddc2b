"""Lines in capitals, in small letters or in Title Case, in the case that training's lines have.

There each word gets the case that the vocabulary knows best (truecasing, Lita et al. 2003). In a
line of ordinary case only loud words do: those in capitals that are no abbreviations.
"""

import math
import re
from collections.abc import Callable
from functools import cache
from itertools import takewhile

from fa_jax.data.vocabulary import Vocabulary

MARGIN = 1.5
"""Nats by which a capital must be likelier inside a sentence: where it begins one it is counted,
too."""
OF_TITLES = 3.0
"""Nats that a line must win if all its words begin with a capital: names win less."""
LOUD = 10.0
"""Nats that a word in capitals must win, if it is no abbreviation: those known in capitals lose."""
LONGEST = 4
"""Letters of an abbreviation, but for few. Words of two are loud beside longer ones alone."""
WORD = re.compile(r"(?<![\w'’.-])[^\W\d_]{2,}(?![\w'’-])")


def in_capitals(text: str) -> bool:
    """Whether it has several words, and capitals alone."""
    return text.isupper() and len(_initials(text)) > 1 and _is_cased(text)


def in_case_of(line: str, text: str) -> str:
    """The text in capitals, if the line is and if the text's script has them."""
    return text.upper() if in_capitals(line) and _is_cased(text) else text


def usual_case(text: str, tokenize: Callable[[str], list[str]], vocabulary: Vocabulary) -> str:
    """A text in the case of training's lines: those of `tokenize` and `vocabulary`.

    text: with single spaces between its words.
    """
    if not _is_cased(text):
        return text
    if not vocabulary.has_capitals:
        return text.lower()
    initials = _initials(text)
    titled = not text.isupper() and len(initials) > 1 and all(map(str.isupper, initials))
    begins_small = text.islower() and re.match(r"\W*[^\W\d_]", text)

    @cache
    def surprise(word: str) -> float:
        return vocabulary.surprise(tokenize(word))

    if not (titled or begins_small or in_capitals(text)):
        return _quiet(text, tokenize, surprise)
    words, usual, begins = text.split(" "), [], True
    for word in words:
        small = word.lower()
        large = re.sub(r"^\W*[^\W\d_]", lambda found: found[0].upper(), small)
        price = {
            word.upper(): MARGIN,
            large: 0.0 if begins else MARGIN,
            small: math.inf if begins else 0.0,
        }
        usual.append(min(price, key=lambda form: surprise(form) + price[form]))
        begins = _ends_sentence(word) or (begins and not re.search(r"\w", word))
    if titled and sum(map(surprise, words)) - sum(map(surprise, usual)) < OF_TITLES:
        return text
    return " ".join(usual)


def _quiet(
    text: str, tokenize: Callable[[str], list[str]], surprise: Callable[[str], float]
) -> str:
    """A line of ordinary case, in which no word is loud."""

    def in_small(word: str) -> str:
        return min(word.lower(), word.capitalize(), key=surprise)

    def is_loud(word: str) -> bool:
        small = in_small(word)
        short = LOUD if len(tokenize(small)) == 1 else math.inf
        return surprise(word) - surprise(small) > (0.0 if len(word) > LONGEST else short)

    def quiet(found: re.Match[str]) -> str:
        word, before = found[0], text[: found.start()].rstrip()
        if word not in loud:
            return word
        return in_small(word) if before and not _ends_sentence(before) else word.title()

    loud = {*filter(is_loud, filter(str.isupper, WORD.findall(text)))}
    return WORD.sub(quiet, text) if max(map(len, loud), default=0) > 2 else text


def _ends_sentence(text: str) -> bool:
    """Whether a full stop, or its like, is behind its last letter."""
    behind = takewhile(lambda c: not (c.isalnum() or c == "_"), reversed(text))
    return any(c in ".!?" for c in behind)


def _initials(text: str) -> list[str]:
    """Those of its words."""
    return re.findall(r"(?:^|\s)[\W_]*([^\W\d_])", text)


def _is_cased(text: str) -> bool:
    """Whether most of its letters are small or capital ones."""
    letters = [*filter(str.isalpha, text)]
    return 2 * sum(letter.lower() != letter.upper() for letter in letters) > len(letters)
