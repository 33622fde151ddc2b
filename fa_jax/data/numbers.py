"""Numbers in digits, and how another language writes them.

Separators are those of Unicode's CLDR, by Babel. num2words knows numbers in words, in some sixty
languages.
"""

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from babel import UnknownLocaleError
from babel.numbers import get_decimal_symbol, get_group_symbol, parse_decimal
from num2words import num2words

from fa_jax.data.marks import WIDE
from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES
from fa_jax.data.vocabulary import Vocabulary

NUMBER = re.compile(r"\d+(?:[.,:/．，：／－-]\d+)*")
LONG = 2
"""Digits of a number that a network hardly translates right."""
SPELT = 6
"""Digits of a number that may stand in words, at most: of longer ones num2words has no end in some
languages."""


def numbers(text: str) -> list[re.Match]:
    """All of a text, if one of them is long. A letter that has a capital makes a word of one."""
    found = [match for match in NUMBER.finditer(text) if not _is_word(text, *match.span())]
    return found if any(map(_is_long, found)) else []


def lacks_numbers(translation: str, text: str, source: str, target: str) -> bool:
    """Whether a long number of the text is not in its translation, in digits or in words."""
    long = [number_in(found[0], source, target) for found in numbers(text) if _is_long(found)]
    there = NUMBER.findall(_plain(translation))
    missing = Counter(_parts(long)) - Counter(_parts(there))
    return not all(_is_spelt(number, translation, target) for number in missing)


def _parts(found: Iterable[str]) -> Iterator[str]:
    """Numbers, of a range both, and of a time its hours and minutes, but for those that "o'clock"
    and "half past" say."""
    for number in itertools.chain.from_iterable(re.split("[/-]", one) for one in found):
        hours, *minutes = number.split(":")
        yield from (hours, *(part for part in minutes if part not in ("00", "30")))


def _is_spelt(number: str, translation: str, language: str) -> bool:
    if not number.isdecimal() or len(number) > SPELT:
        return False
    try:
        words = num2words(int(number), lang=language)
    except (NotImplementedError, TypeError):  # no such language; a number that it cannot say
        return False
    beside = "〇一二三四五六七八九十百千万億" if language in WRITTEN_WITHOUT_SPACES else r"\w-"
    whole = rf"(?<![{beside}]){re.escape(words)}(?![{beside}])"
    return bool(re.search(whole, translation, re.IGNORECASE))


def number_in(number: str, source: str, target: str) -> str:
    """A number of the source language as the target language writes it."""
    plain = _plain(number)
    try:
        parse_decimal(plain, source, strict=True)
        symbols = [(get_group_symbol(one), get_decimal_symbol(one)) for one in (source, target)]
    except (UnknownLocaleError, ValueError):
        return plain  # a time, a date, a telephone's number
    return plain.translate({ord(own): other for own, other in zip(*symbols, strict=True)})


def in_width_of(vocabulary: Vocabulary, number: str) -> str:
    """A number in wide or plain digits, as a vocabulary has them."""
    return "".join(min((c, chr(ord(c) + WIDE)), key=vocabulary.rank) for c in number)


def _plain(text: str) -> str:
    """With the digits 0 to 9, whatever the script."""
    return re.sub(r"\d", lambda digit: str(int(digit[0])), unicodedata.normalize("NFKC", text))


def _is_long(number: re.Match) -> bool:
    return sum(map(str.isdigit, number[0])) >= LONG


def _is_word(text: str, start: int, end: int) -> bool:
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    return beside.lower() != beside.upper()
