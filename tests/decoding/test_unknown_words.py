"""Unknown words: what stands in their place, and dictionaries that cannot be read."""

from pathlib import Path

import numpy as np
import pytest

from fa_jax.decoding.unknown_words import read_dictionary, replace_unknown, whole_words
from fa_jax.errors import UserError

WEIGHTS = np.array([[0.1, 0.8, 0.1], [0.2, 0.3, 0.5], [0.9, 0.1, 0.0], [0.4, 0.3, 0.3]])


def test_the_word_looked_at_most_is_translated_or_copied():
    found = replace_unknown(
        ["<unk>", "sah", "<unk>"], ["Anna", "saw", "Bo"], WEIGHTS, {"saw": "sah"}
    )
    assert found == ["sah", "sah", "Anna"]


def test_dictionaries(tmp_path):
    path = tmp_path / "words.tsv"
    text = "saw\tsah\nhouse\tHaus\nsaw\tsägte\n"
    path.write_text(text, encoding="utf-8-sig")
    assert read_dictionary(path) == {"saw": "sah", "house": "Haus"}


@pytest.mark.parametrize(
    ("content", "words"), [(b"a\tb\nc d\n", "line 2: no tab"), (b"\xff", "cannot be read")]
)
def test_dictionaries_that_cannot_be_read(tmp_path, content, words):
    path = tmp_path / "words.tsv"
    path.write_bytes(content)
    with pytest.raises(UserError, match=words):
        read_dictionary(path)


def test_a_missing_dictionary():
    with pytest.raises(UserError, match="dictionary nowhere cannot be read"):
        read_dictionary(Path("nowhere"))


def test_what_is_copied_is_a_whole_word():
    subwords = ["▁Uzb", "ek", "is", "tan", "▁", "is", "▁far", "."]
    words = whole_words(subwords, spaced=True)
    assert words == ["Uzbekistan"] * 4 + ["is"] * 2 + ["far."] * 2
    assert whole_words(["▁猫", "が", "好き"], spaced=False) == ["猫", "が", "好き"]
