"""All but the freaks of a text are learnt from, whatever its lines are like."""

import numpy as np
import pytest

from fa_jax.data.learnt_from import learnt_from, left_out, longest_learnt


def pairs(lengths):
    """Sources of these lengths, with shorter targets."""
    return np.array([lengths, [length // 2 for length in lengths]])


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
    assert longest_learnt(pairs([60, 60])[::-1], "subword") == 60


LENGTHS = np.array([[3, 0, 5, 1, 1], [3, 1, 1, 5, 1]])


def test_pairs_that_are_not_learnt_from_are_counted():
    line = left_out(LENGTHS, 4)
    assert "of 5 training pairs" in line
    assert "2 with more than 4 tokens" in line and "1 with an empty side" in line
    assert learnt_from(LENGTHS, 4).tolist() == [True, False, False, False, True]
    assert "tokens" not in left_out(LENGTHS, 5)


def test_nothing_is_said_where_all_pairs_are_learnt_from():
    assert left_out(LENGTHS[:, [0, 2, 3, 4]], 5) == ""
