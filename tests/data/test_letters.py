"""Words that are written on a keyboard without their letters."""

from fa_jax.data.letters import usual_letters
from fa_jax.data.vocabulary import SPECIAL, Vocabulary

WORDS = (
    "für",
    "über",
    "Straße",
    "schön",
    "schon",
    "Masse",
    "Maße",
    "café",
    "Ärger",
    "ä",
    "neue",
    "im",
)


def vocabulary(*tokens):
    return Vocabulary((*SPECIAL, *tokens))


def test_words_are_those_that_training_has():
    plainly = vocabulary(*WORDS).plainly
    text = "Fuer Aerger ueber die Strasse im Cafe, schoen!"
    assert usual_letters(text, plainly, WORDS) == "Für Ärger über die Straße im Café, schön!"


def test_what_is_a_word_or_none_stays():
    plainly = vocabulary(*WORDS).plainly
    for text in ("Masse", "schon", "Schon", "neue Steuer", "fur", "ae", "FUER", "fuerchten", ""):
        assert usual_letters(text, plainly, WORDS) == text


def test_subwords_may_be_words_where_a_space_is_before_them():
    plainly = vocabulary("▁für", "▁Stra", "öße", "▁").plainly
    assert plainly == {"fuer": "für"}


def test_letters_and_plain_words_have_no_other_form():
    assert vocabulary("ä", "ö", "ß").plainly == vocabulary("▁the", "a").plainly == {}


def test_words_parted_at_a_line_s_end_are_whole_if_training_has_them():
    words = ("sometimes", "information")
    text = "Some- times infor- mation, two- and three-year some- thing"
    whole = "Sometimes information, two- and three-year some- thing"
    assert usual_letters(text, {}, words) == whole


def test_words_drawn_out_are_short_if_training_has_them():
    words = ("good", "so", "love", "loved", "now")
    text = "Sooo goooood, I looooveeed it nooow!"
    assert usual_letters(text, {}, words) == "Sooo good, I loved it now!"
    ships = ("schifffahrt", "schiffahrt")
    assert usual_letters("Schifffahrt", {}, ships) == "Schifffahrt"
    for text in ("VIII", "www", "hmmm", "NOOOW"):
        assert usual_letters(text, {}, words) == text
