"""Unknown words: what stands in their place."""

import numpy as np

from fa_jax.decoding.unknown_words import replace_unknown, whole_words

WEIGHTS = np.array([[0.1, 0.8, 0.1], [0.2, 0.3, 0.5], [0.9, 0.1, 0.0], [0.4, 0.3, 0.3]])


def test_the_word_looked_at_most_is_translated_or_copied():
    source, copies = ["anna", "saw", "bo"], ["ANNA", "SAW", "BO"]
    found = replace_unknown(["<unk>", "sah", "<unk>"], source, WEIGHTS, {"saw": "sah"}, copies)
    assert found == ["sah", "sah", "ANNA"]


def test_what_is_copied_is_a_whole_word():
    subwords = ["▁Uzb", "ek", "is", "tan", "▁", "is", "▁far", "."]
    words = whole_words(subwords, spaced=True)
    assert words == ["Uzbekistan"] * 4 + ["is"] * 2 + ["far."] * 2
    assert whole_words(["▁猫", "が", "好き"], spaced=False) == ["猫", "が", "好き"]
