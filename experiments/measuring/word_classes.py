"""Classes of target words: Japanese by MeCab's part of speech, English by a list."""

import functools
import re

import ipadic
import MeCab

END, PUNCTUATION, FUNCTION, NOUN, VERB, OTHER, UNKNOWN = (
    "end of sentence", "punctuation", "function word", "noun", "verb", "other word",
    "unknown word",
)  # fmt: skip
CLASSES = (FUNCTION, NOUN, VERB, OTHER, UNKNOWN, PUNCTUATION, END)
MARKS = {"</s>": END, "<unk>": UNKNOWN}
JAPANESE = {"助詞": FUNCTION, "助動詞": FUNCTION, "記号": PUNCTUATION, "名詞": NOUN, "動詞": VERB}
ENGLISH = frozenset(
    re.findall(
        r"\w+",
        """a an the this that these those of to in on at by for with from into upon over under out
        up down against between through before after and or but nor for so yet if because when while
        as than not no is am are was were be been being do does did have has had having will shall
        would should may might must can could i you he she it we they me him her us them my your
        his its our their mine who whom whose which what there then also""",
    )
)


def class_of(token: str, language: str) -> str:
    """Of a target token."""
    if token in MARKS:
        return MARKS[token]
    if not any(letter.isalnum() for letter in token):
        return PUNCTUATION
    if language == "ja":
        return JAPANESE.get(_part_of_speech(token), OTHER)
    return FUNCTION if token.lower() in ENGLISH else OTHER


@functools.cache
def _part_of_speech(token: str) -> str:
    """Of the token alone, without its sentence."""
    features = _tagger().parse(token).split("\t")
    return features[1].split(",")[0] if len(features) > 1 else ""


@functools.cache
def _tagger() -> MeCab.Tagger:
    return MeCab.Tagger(ipadic.MECAB_ARGS)
