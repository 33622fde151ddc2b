"""A line's sentences, in languages with spaces and without."""

import pytest

from fa_jax.data.sentences import sentences, space_between

PARAGRAPH = "I like cats. My brother likes dogs. We went to the park yesterday."
PARTS = ["I like cats.", "My brother likes dogs.", "We went to the park yesterday."]


@pytest.mark.parametrize(
    ("language", "line", "parts"),
    [
        ("en", PARAGRAPH, PARTS),
        ("en", "Mr. Smith paid $3.50. Why?", ["Mr. Smith paid $3.50.", "Why?"]),
        ("de", "Am 5. Mai kam Dr. Müller. Er ging.", ["Am 5. Mai kam Dr. Müller.", "Er ging."]),
        ("ja", "猫が好きです。弟は犬が好きだ。", ["猫が好きです。", "弟は犬が好きだ。"]),
        ("en", "“I see. You hear.”", ["“I see.", "You hear.”"]),
        ("de", "(Ich sehe. Du hörst.) 😀", ["(Ich sehe.", "Du hörst.) 😀"]),
        ("en", "- “I see. You hear.” 😀", ["- “I see.", "You hear.” 😀"]),
        ("en", "**I see. You hear.**", ["**I see.", "You hear.**"]),
        (
            "en",
            "“I see. You hear.” “I hear.” (Yes. No.)",
            ["“I see.", "You hear.”", "“I hear.”", "(Yes.", "No.)"],
        ),
        ("en", "Run ./x now. See https://a.b/?Is=1!", ["Run ./x now.", "See https://a.b/?Is=1!"]),
        ("en", '"I see." he said.', ['"I see." he said.']),
        ("en", "“I see.”", ["“I see.”"]),
        ("en", "---", ["---"]),
        ("en", " one sentence ", [" one sentence "]),
        ("en", "", [""]),
        ("no language", "One. Two.", ["One.", "Two."]),
    ],
)
def test_a_line_is_parted_into_its_sentences(language, line, parts):
    assert sentences(line, language) == parts


def test_sentences_are_joined_as_the_script_joins_them():
    joined = [space_between(language) for language in ("en", "de", "ja", "zh", "th")]
    assert joined == [" ", " ", "", "", ""]
