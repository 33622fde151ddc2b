"""Text to numbers and back: what is read differently keeps the letters that its writer chose."""

from pathlib import Path

import pytest

import fa_jax
from fa_jax.data.codec import TextCodec, load_codec
from fa_jax.data.tokenizers import Characters, Split, Words
from fa_jax.data.vocabulary import SPECIAL, Vocabulary

LEARNT = Vocabulary((*SPECIAL, *".'aeiorst"))  # neither capitals nor other marks


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("WE MET O\u2019BRIEN IN UZBEKISTAN.", "WE MET O\u2019BRIEN IN UZBEKISTAN."),
        ("we  met Anna\u00a0there", "we met Anna there"),
        ("WE MET ANNA \u2026", "WE MET ANNA ..."),  # one mark became three
    ],
)
def test_tokens_of_subwords_as_they_were_written(text, again):
    codec = load_codec(Path(fa_jax.__file__).parent / "pretrained" / "en-ja", "source")
    tokens = codec.tokenizer.tokenize(codec.usual(text))
    written = codec.as_written(tokens, text)
    assert [piece.count("▁") for piece in written] == [piece.count("▁") for piece in tokens]
    assert "".join(written).replace("▁", " ").strip() == again
    assert codec.as_written(tokens[:3], text) == written[:3]


@pytest.mark.parametrize(
    ("tokenizer", "text", "again"),
    [
        (Characters(), "Anna\u2019s  Cat, ▁.", [*"Anna\u2019s▁Cat,▁▁."]),
        (Split(), "Anna\u2019s  Cat,", ["Anna\u2019s", "Cat,"]),
        (Words("en"), "Anna\u2019s  Cat,", ["Anna", "\u2019s", "Cat", ","]),
    ],
)
def test_tokens_of_other_tokenizers_as_they_were_written(tokenizer, text, again):
    codec = TextCodec("en", tokenizer, LEARNT)
    tokens = codec.tokenizer.tokenize(codec.usual(text))
    assert "'" in "".join(tokens) and "".join(tokens).islower()
    assert codec.as_written(tokens, text) == again


def test_letters_that_moved_stay_as_they_are_read():
    """One more and two fewer are as many as before, at other places."""
    words = Vocabulary((*SPECIAL, "Die", "...", "Tmo", "ist", "für", "die", "Straße", "Karl"))
    codec, text = TextCodec("de", Split(), words), "Die … Tmo ist fuer die Strasse Karl"
    tokens = codec.tokenizer.tokenize(codec.usual(text))
    assert codec.as_written(tokens, text) == tokens


def test_tokens_that_are_not_the_texts_letters_stay():
    codec = TextCodec("en", Split(), LEARNT)
    assert codec.as_written(["an", "other"], "Anna") == ["an", "other"]
