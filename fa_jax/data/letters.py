"""Words as training's lines spell them, where a keyboard lacks letters (fuer, Strasse, cafe), a
page's lines part them (some- times), or they are drawn out (sooo)."""

import re
import unicodedata
from collections.abc import Collection, Mapping

PLAIN = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae", "œ": "oe", "ß": "ss"}
PLAIN |= {letter.upper(): two.capitalize() for letter, two in PLAIN.items() if letter != "ß"}
"""Others are written without their marks. In German a u for ü would be another word."""
SHORTEST = 3
"""Letters of a word; shorter ones may be anything."""
WORD = re.compile(rf"[^\W\d_]{{{SHORTEST},}}")
PARTED = re.compile(r"([^\W\d_]{2,})- ([^\W\d_]{2,})")
DRAWN_OUT = re.compile(r"([^\W\d_])\1\1+")


def usual_letters(text: str, plainly: Mapping[str, str], words: Collection[str]) -> str:
    """A text with the vocabulary's words for what is written for them. plainly, words: as of
    `Vocabulary`."""

    def usual(found: re.Match[str]) -> str:
        word = found[0]
        if word in plainly or not word[0].isupper():
            return plainly.get(word, word)
        other = plainly.get(word[0].lower() + word[1:], word)
        return other[0].upper() + other[1:]

    def whole(found: re.Match[str]) -> str:
        word = found[1] + found[2]
        return word if is_known(word) else found[0]

    def short(found: re.Match[str]) -> str:
        word = found[0]
        if is_known(word):
            return word
        forms = [DRAWN_OUT.sub(letters, word) for letters in (r"\1\1", r"\1")]
        known = filter(is_known, forms if word[1:].islower() else ())
        return next((form for form in known if len(form) >= SHORTEST), word)

    def is_known(word: str) -> bool:
        return word in words or word[0].lower() + word[1:] in words

    text = WORD.sub(usual, text) if plainly else text
    text = PARTED.sub(whole, text)
    return WORD.sub(short, text) if DRAWN_OUT.search(text) else text


def without_marks(letter: str) -> str:
    """The letter that its name in Unicode begins with: o of ö, ø and ő. What has no marks, but is
    written with other letters where it is not known (ß, æ), is those; all else is itself."""
    name, *marks = unicodedata.name(letter, "").split(" WITH ")
    try:
        return unicodedata.lookup(name) if marks else PLAIN.get(letter, letter)
    except KeyError:
        return letter


def plain_words(words: Collection[str]) -> dict[str, str]:
    """Words by what may be written for them, but for what is a word itself."""
    found: dict[str, str] = {}
    for word in words:
        if len(word) >= SHORTEST and not word.isascii():
            found.setdefault("".join(PLAIN.get(c) or without_marks(c) for c in word), word)
    known = {form for word in words for form in (word, word[0].upper() + word[1:], word.lower())}
    return {plain: word for plain, word in found.items() if plain not in known}
