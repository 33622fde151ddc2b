"""Numbers of a text, and how other languages write them."""

import pytest

from fa_jax.data.numbers import in_width_of, lacks_numbers, number_in, numbers
from fa_jax.data.vocabulary import SPECIAL, Vocabulary


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("In 1987, 3 of 4.", ["1987", "3", "4"]),
        ("I have 3 cats and 2 dogs.", []),
        ("From 8:30 to 12:00, at 83,920.5 or -12", ["8:30", "12:00", "83,920.5", "12"]),
        ("１９８７年に３人、１２，５００円", ["１９８７", "３", "１２，５００"]),
        ("MP34, 18th, B2, 3D, 45x", []),
        ("Am 18. Juni.", ["18"]),
        ("Call 090-1234-5678 from 8-10, 12/5.", ["090-1234-5678", "8-10", "12/5"]),
        ("", []),
    ],
)
def test_all_are_found_if_one_is_long(text, found):
    assert [match[0] for match in numbers(text)] == found


@pytest.mark.parametrize(
    ("number", "source", "target", "written"),
    [
        ("83.920", "de", "en", "83,920"),
        ("1.083.920,5", "de", "en", "1,083,920.5"),
        ("12,50", "de", "en", "12.50"),
        ("12.50", "en", "de", "12,50"),
        ("83,920", "en", "ja", "83,920"),
        ("12.05.1987", "de", "en", "12.05.1987"),
        ("12:30", "de", "en", "12:30"),
        ("1987", "de", "en", "1987"),
        ("１９８７", "ja", "en", "1987"),
        ("१९८७", "hi", "en", "1987"),
        ("1,5", "xx", "en", "1,5"),
    ],
)
def test_another_language_writes_them_its_way(number, source, target, written):
    assert number_in(number, source, target) == written


def test_digits_are_as_wide_as_those_of_a_vocabulary():
    plain, wide = (
        Vocabulary((*SPECIAL, *digits)) for digits in ("0123456789", "０１２３４５６７８９")
    )
    assert in_width_of(plain, "12,50") == "12,50"
    assert in_width_of(wide, "12,50") == "１２,５０"


@pytest.mark.parametrize(
    ("text", "languages", "translation", "lacks"),
    [
        ("Er hat 12,50 von 1.000.", "de-en", "He has 12.50 of 1,000.", False),
        ("Er hat 12,50 von 1.000.", "de-en", "He has 1250 of 1,000.", True),
        ("12 und 12.", "de-en", "１２ and 3", True),
        ("Er hat 3 von 12.", "de-en", "He has three of 12.", False),
        ("Er hat 3.", "de-en", "He has four.", False),
        ("Sie ist 27.", "de-en", "Twenty-seven is her age.", False),
        ("Sie ist 20.", "de-en", "Twenty-seven is her age.", True),
        ("Um 10 Uhr.", "de-en", "Often.", True),
        ("She is 27.", "en-ja", "彼女は二十七歳。", False),
        ("She is 27.", "en-ja", "彼女は百二十七歳。", True),
        ("At 8:00 and 9:30.", "en-ja", "８時、９時半", False),
        ("At 8:15.", "en-ja", "８時", True),
        ("At 8:15.", "en-ja", "８時１５分", False),
        ("From 10-12.", "en-ja", "１０から１２まで", False),
        ("Call 555-2368.", "en-ja", "５５５と２３６", True),
        ("She is 27.", "en-xx", "twenty-seven", True),
    ],
)
def test_long_numbers_must_be_there(text, languages, translation, lacks):
    assert lacks_numbers(translation, text, *languages.split("-")) is lacks


@pytest.mark.parametrize("language", ["am", "de", "en", "ja", "ru", "zh"])
@pytest.mark.parametrize("number", ["10", "111111", "1" * 9, "9" * 71, "9" * 5000, "1.5", "007"])
def test_any_number_may_be_missing_in_any_language(number, language):
    assert lacks_numbers("", number, "en", language)
