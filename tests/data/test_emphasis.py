"""Stars around words, and what stands behind them."""

import pytest

from fa_jax.data.emphasis import without_additions
from fa_jax.data.markup import with_tags


@pytest.mark.parametrize(
    ("text", "letters", "starred"),
    [
        ("I **really** like it.", "I really like it.", ["really"]),
        ("*You* and _all of us_!", "You and all of us!", ["You", "all of us"]),
        ("***x*** ~~y~~", "x y", ["x", "y"]),
        ("2*3*4 is a * b * c", "2*3*4 is a * b * c", []),
        ("__init__ or a_name_", "__init__ or a_name_", []),
        ("", "", []),
    ],
)
def test_starred_words_are_elements(text, letters, starred):
    found = without_additions(text)
    assert found.letters == letters
    whole = letters.replace(" ", "")
    words = [whole[one.first : one.last] for one in found.elements]
    assert words == [word.replace(" ", "") for word in starred]


def test_they_come_back_around_the_words_that_come_from_theirs():
    text = without_additions("I **really** like R&D.")
    source, target = text.letters.split(), ["R&Dを", "本当に", "好む"]
    written = with_tags(text, "R&Dを本当に好む", source, target, [(3, 0), (1, 1), (2, 2)])
    assert written == "R&Dを**本当に**好む"
    assert with_tags(text, "R&Dを", source, target[:1], [(3, 0)]) == "R&Dを"


@pytest.mark.parametrize(
    ("text", "letters", "followed"),
    [
        ("I love 🐱 and 🐶, too.", "I love and, too.", [("love", " 🐱"), ("and", " 🐶")]),
        ("Cats [2] sleep[13][14].", "Cats sleep.", [("Cats", " [2]"), ("sleep", "[13][14]")]),
        ("Well, 👍🏽 yes", "Well, yes", [("Well,", " 👍🏽")]),
        ("√3 is x − 1 → y[n]", "√3 is x − 1 → y[n]", []),
    ],
)
def test_pictures_and_footnotes_are_ends_of_elements(text, letters, followed):
    found = without_additions(text)
    assert found.letters == letters
    whole = letters.replace(" ", "")
    ends = [(whole[one.first : one.last], one.closing) for one in found.elements]
    assert ends == followed


def test_a_link_of_markdown_comes_back_around_its_words():
    text = without_additions("See **[the book](a/b_(c).md)** and [a] or [x] (y).")
    assert text.letters == "See the book and [a] or [x] (y)."
    source, target = text.letters.split(), ["その", "本を", "見て"]
    written = with_tags(text, "その本を見て", source, target, [(0, 2), (1, 0), (2, 1)])
    assert written == "**[その本を](a/b_(c).md)**見て"


def test_they_come_back_behind_the_words_that_come_from_theirs():
    text = without_additions("Cats[2] sleep 😴 well.")
    words = ["Cats", "sleep", "well."], ["Gut", "schlafen", "Katzen."]
    written = with_tags(text, "Gut schlafen Katzen.", *words, [(0, 2), (1, 1), (2, 0)])
    assert written == "Gut schlafen 😴 Katzen[2]."
