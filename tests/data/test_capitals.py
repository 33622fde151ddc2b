"""Lines in another case than training's lines."""

from itertools import islice
from pathlib import Path

import pytest

import fa_jax
from fa_jax.data import corpora
from fa_jax.data.capitals import in_capitals, in_case_of, usual_case
from fa_jax.data.codec import load_codec
from fa_jax.data.corpora.text_files import read_pairs
from fa_jax.data.tokenizers import Characters, Words
from fa_jax.data.vocabulary import most_frequent


@pytest.fixture(scope="module")
def codec():
    return load_codec(Path(fa_jax.__file__).parent / "pretrained" / "en-ja", "source")


@pytest.fixture(scope="module")
def lines():
    folder = Path(corpora.__file__).parent / "tatoeba_en_ja"
    return [english for _, (english, _) in islice(read_pairs(folder, ("en", "ja"), "test"), 300)]


@pytest.mark.parametrize("dirty", [str.upper, str.lower, str.title])
def test_nearly_every_line_comes_back(codec, lines, dirty):
    changed = [line for line in lines if dirty(line) != line]
    same = sum(codec.usual(dirty(line)) == line for line in changed)
    assert same > 0.9 * len(changed) > 260


@pytest.mark.parametrize("line", ["Is this all yours?", "The fog is dense.", "The cat licked Tom."])
def test_short_lines_come_back(codec, line):
    assert codec.usual(line.title()) == codec.usual(line.upper()) == line


def test_ordinary_lines_stay(codec, lines):
    assert [*map(codec.usual, lines)] == lines
    for line in (
        "I am in the USA.",
        "Tom Jackson",
        "Yes.",
        "USA",
        "iPhone",
        "3 and 4 are 7.",
        "「",
        "",
    ):
        assert codec.usual(line) == line


def usual(line, *words):
    tokenizer = Words("en")
    vocabulary = most_frequent({w: len(words) - n for n, w in enumerate(words)}, 100)
    return usual_case(line, tokenizer.tokenize, vocabulary)


def test_words_have_the_case_that_training_has():
    known = (".", "the", "to", "Tom", "goes", "TV", "The", "and", "Goes", "He", "he")
    assert usual("TOM GOES TO THE TV.", *known) == "Tom goes to the TV."
    assert usual("tom goes to the tv. he goes.", *known) == "Tom goes to the TV. He goes."
    assert usual("“TOM GOES”", *known) == "“Tom goes”"
    assert usual("Tom goes to the TOEIC.", *known, "TOEIC") == "Tom goes to the TOEIC."


def test_loud_words_are_read_as_others_and_abbreviations_stay(codec):
    for line, quiet in (
        ("I REALLY like cats.", "I really like cats."),
        ("PLEASE help me. NEVER mind!", "Please help me. Never mind!"),
        ("I DO NOT like it.", "I do not like it."),
        ("He asked TOM about MEDICATION.", "He asked Tom about medication."),
    ):
        assert codec.usual(line) == quiet
    for line in (
        "I DO like it.",
        "We watch TV in the USA.",
        "Call the FBI, NASA or IBM.",
        "A-ha OK",
    ):
        assert codec.usual(line) == line


def test_characters_have_a_capital_where_a_line_begins():
    vocabulary = most_frequent({c: 99 - n for n, c in enumerate("▁eainotsrhlI.TW")}, 99)
    tokenize = Characters().tokenize
    assert usual_case("THE SEA IS IN IT.", tokenize, vocabulary) == "The sea is in it."
    assert usual_case("It is an OTTER in NATO.", tokenize, vocabulary) == "It is an otter in NATO."


def test_training_without_capitals_reads_small_letters():
    assert usual("Tom goes.", "tom", "goes") == "tom goes."
    assert usual("tom goes.", "tom", "goes") == "tom goes."
    assert usual("雨 A", "雨") == "雨 A"


def test_capitals_are_written_where_the_script_has_them():
    assert in_case_of("I LIKE CATS.", "Ich mag Straßen.") == "ICH MAG STRASSEN."
    assert in_case_of("I LIKE CATS.", "猫が好きでtシャツを着る。") == "猫が好きでtシャツを着る。"
    for line in ("I like cats.", "CATS", "これは TV と CD です", "1 2 3"):
        assert in_case_of(line, "Ich mag Katzen.") == "Ich mag Katzen."
        assert not in_capitals(line)
