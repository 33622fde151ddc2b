"""Marks that a vocabulary hardly knows."""

import pytest

from fa_jax.data.marks import tidy, usual_marks
from fa_jax.data.vocabulary import most_frequent


def known(*tokens):
    """A vocabulary of these, the most frequent first."""
    return most_frequent({token: len(tokens) - n for n, token in enumerate(tokens)}, 10_000)


TYPEWRITER = known(
    "'", '▁"', "-", ".", ",", "!", "(", "=", *"abcdefghijklmnopqrstuvwxyz0123456789I"
)


@pytest.mark.parametrize(
    "text, read",
    [
        ("I don’t", "I don't"),
        ("“well” — she said…", '"well" - she said...'),
        ("ｗｅｌｌ，ｃｏｍｅ！（２", "well,come!(2"),
        ("ﬁne ①", "fine 1"),
        ("猫 ❤ я ≠", "猫 ❤ я ≠"),
        ("Björn naïve", "Bjorn naive"),
        ("łódź søn straße", "lodz son strasse"),
    ],
)
def test_what_training_never_saw_is_what_it_saw(text, read):
    assert usual_marks(text, TYPEWRITER) == read


def test_what_training_saw_stays():
    german = known("▁„", "“", "–", '"', "-", "’", *"abc")
    assert usual_marks('„a“ – b’ "c" -', german) == '„a“ – b’ "c" -'
    assert usual_marks("«a» 'c'", german) == '"a" ’c’'


def test_a_mark_that_training_hardly_saw_is_the_frequent_one():
    rare = known("'", *(f"word{n}" for n in range(90)), "’", "²", "2")
    assert usual_marks("it’s m²", rare) == "it's m²"


def test_a_wide_mark_that_training_hardly_saw_is_the_plain_one():
    rare = known(".", *(f"word{n}" for n in range(90)), "．")
    assert usual_marks("a．", rare) == "a."
    wide = known("．", *(f"word{n}" for n in range(90)), ".")
    assert usual_marks("a．", wide) == "a．"


def test_marks_become_wide_ones():
    japanese = known("。", "、", "！", "？", "バ", "ハ", "ア")
    assert usual_marks("ア!ﾊﾞ?", japanese) == "ア！バ？"


def test_marks_stand_once_and_have_a_space_behind():
    assert tidy("Yes,no;so!Why?Äh,Öl") == "Yes, no; so! Why? Äh, Öl"
    assert tidy("Yes!!! What?! Why!?") == "Yes! What? Why?"
    for text in ("1,000", "3,5 km", "a.b", "猫,犬", "Yes, no", ",a", "e.g.x"):
        assert tidy(text) == text


def test_tokens_that_other_tools_parted_are_text_again():
    assert tidy("It ’s late , is n't it ? Yes .") == "It’s late, isn't it? Yes."
    for text in ("Quoi ? Non !", "Well ... no.", "a .b", "the '90s."):
        assert tidy(text) == text
