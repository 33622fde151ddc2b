"""Unknown words: what stands in their place."""

import numpy as np

from fa_jax.decoding.unknown_words import replace_unknown, whole_words

LOOKED_AT = np.array([1, 2, 0, 0])
"""The last place is that of the end of sentence."""


def test_the_word_looked_at_most_is_translated_or_copied():
    source, copies = ["anna", "saw", "bo"], ["ANNA", "SAW", "BO"]
    found = replace_unknown(["<unk>", "sah", "<unk>"], source, LOOKED_AT, {"saw": "sah"}, copies)
    assert found == ["sah", "sah", "ANNA"]


def test_what_is_copied_is_a_whole_word():
    subwords = ["▁Uzb", "ek", "is", "tan", "▁", "is", "▁far", "."]
    words = whole_words(subwords, spaced=True)
    assert words == ["Uzbekistan"] * 4 + ["is"] * 2 + ["far."] * 2
    assert whole_words(["▁猫", "が", "好き"], spaced=False) == ["猫", "が", "好き"]
