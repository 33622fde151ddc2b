"""All but the freaks of a text are learnt from, whatever its lines are like."""

import numpy as np
import pytest

from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.longest_learnt import longest_learnt


def texts(lengths):
    offsets = np.cumsum([0, *lengths])
    return EncodedTexts(np.zeros(offsets[-1], np.int32), offsets)


def pairs(lengths):
    """Sources of these lengths, with shorter targets."""
    return EncodedPairs(texts(lengths), texts([length // 2 for length in lengths]))


@pytest.mark.parametrize(
    "lengths, tokenizer, longest",
    [
        ([10] * 1000, "subword", 50),
        ([80] * 1000, "subword", 80),
        ([80] * 995 + [900] * 5, "subword", 80),
        ([80] * 985 + [120] * 15, "word", 120),
        ([500] * 1000, "subword", 200),
        ([80] * 1000, "character", 150),
        ([269] * 1000, "character", 269),
        ([5000] * 1000, "character", 600),
    ],
)
def test_ninety_nine_of_a_hundred_pairs_are_learnt_from(lengths, tokenizer, longest):
    assert longest_learnt(pairs(lengths), tokenizer) == longest


def test_either_side_counts():
    some = pairs([60, 60])
    assert longest_learnt(EncodedPairs(some.target, some.source), "subword") == 60
