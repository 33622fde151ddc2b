"""What stands around a sentence: apart from it, and around its translation again."""

import time

import pytest

from fa_jax.data.frame import framed, stop_of
from fa_jax.data.vocabulary import SPECIAL, Vocabulary

ENGLISH, GERMAN, JAPANESE, NONE = (
    Vocabulary((*SPECIAL, *tokens)) for tokens in ('a"()', "a„“()", "a「」（）", "a")
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- I see.", "I see."),
        ("– I see.", "I see."),
        ("• I see.", "I see."),
        ("> # I see.", "I see."),
        ("a) I see.", "I see."),
        ("- [ ] I see.", "I see."),
        ("[x] I see.", "I see."),
        ("(12) I see.", "I see."),
        ("(iv) I see.", "I see."),
        ("[10:32:01] I see.", "I see."),
        ("@tom, @ann I see.", "I see."),
        ('""I see.""', "I see."),
        ("I see.[1][12]", "I see."),
        ("“I see.”²", "I see."),
        ("I see. \U000f0000 \U000f0001", "I see."),
        ("Q: I see?", "I see?"),
        ("😀 I see.", "I see."),
        ("I see. 👍🏽👩‍🔬", "I see."),
        ("I see :-)", "I see"),
        ("I see;)", "I see"),
        ("I see <3", "I see"),
        ("“I see.”", "I see."),
        ("„Ich sehe.“", "Ich sehe."),
        ("»Ich sehe.«", "Ich sehe."),
        ("« Je vois. »", "Je vois."),
        ("「見る。」", "見る。"),
        ('* "(I see.)" ❤', "I see."),
        ("**I see.**", "I see."),
        ("_I see._", "I see."),
        # Of a text that was parted, the one end or the other.
        ("“I see.", "I see."),
        ("I see.)", "I see."),
    ],
)
def test_it_is_no_part_of_the_sentence(text, sentence):
    assert framed(text).sentence == sentence


@pytest.mark.parametrize(
    "text",
    [
        *(
            "OK: I see.",
            "(see) this",
            "I see.",
            "I (too) see.",
            '"Yes," he said, "I see."',
            "「はい」「いいえ」",
        ),
        *(
            "He said, “I see.”",
            "I see (it)",
            'It has 15"',
            "'Tis me",
            "-5 degrees",
            "(see) this",
            "OK: I see.",
        ),
        *(
            "2*3*4 is n",
            "snake_case_name",
            "__init__ is",
            "a * b * c",
            "A. Smith",
            "$x$ 😀 and y",
            "",
        ),
    ],
)
def test_what_belongs_to_it_stays(text):
    assert framed(text).sentence == text
    assert framed(text).around("b", NONE) == "b"


@pytest.mark.parametrize("text", ["---", "1.", "2,500", "😀", "...", "* * *", "?", "(!)", "12:30"])
def test_without_a_letter_there_is_no_sentence(text):
    assert framed(text).sentence == ""
    assert framed(text).around("", JAPANESE) == text


@pytest.mark.parametrize(
    ("vocabulary", "translation"),
    [(ENGLISH, '- "(b)" :)'), (GERMAN, "- „(b)“ :)"), (JAPANESE, "- 「（b）」 :)")],
)
def test_marks_are_those_of_the_targets_text(vocabulary, translation):
    assert framed("- “(a)” :)").around("b", vocabulary) == translation
    assert framed("- “(a)” :)").around("b", NONE) == "- “(b)” :)"


@pytest.mark.parametrize("mark", ["(", "- ", "😀 ", "*a", "_a ", "a :) ", "“"])
def test_who_plays_is_soon_done_with(mark):
    began = time.process_time()
    framed(mark * 20_000)
    framed("a" + mark * 20_000)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("text", "sentence", "translation"),
    [
        ("I see", "I see.", "b"),
        ("- “I see” 😀", "I see.", '- "b" 😀'),
        ("Page 3", "Page 3.", "b"),
        ("I see \U000f0000", "I see \U000f0000.", "b"),
        ("I **see**", "I **see**.", "b"),
        ("I see.", "I see.", "b."),
        ("I see!", "I see!", "b."),
        ("I see:", "I see:", "b."),
        ("---", "", "---"),
    ],
)
def test_a_sentence_without_a_full_stop_is_translated_with_one(text, sentence, translation):
    frame, english = framed(text, "."), Vocabulary((*SPECIAL, *'.a"'))
    assert frame.sentence == sentence
    assert frame.around("b." if sentence else "", english) == translation


def test_a_full_stop_is_a_frequent_token():
    many = [f"word{number}" for number in range(100)]
    assert stop_of(Vocabulary((*SPECIAL, "の", "。", "."))) == "。"
    assert stop_of(Vocabulary((*SPECIAL, *many, "."))) == ""
    assert stop_of(NONE) == ""
