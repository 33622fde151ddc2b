"""Terms, beginnings and copies, from text to numbers and back."""

import re
import unicodedata
from dataclasses import replace

import pytest

import fa_jax
from fa_jax.data.codec import TextCodec
from fa_jax.data.tokenizers import Words
from fa_jax.data.vocabulary import SPECIAL, Vocabulary
from fa_jax.errors import UserError
from fa_jax.runs.terms import Glossary, tokens_of, wishes_for
from fa_jax.runs.trace import trace
from fa_jax.runs.translate import translate
from tests.runs.test_translate import make_run


@pytest.fixture(scope="module")
def run():
    return fa_jax.load_run("en-ja")


def test_phrases_of_a_glossary_are_whole_words_the_longest_first(run):
    terms = {"ice": "氷", "ice cream": "アイス", "he": "彼"}
    line = "He likes ice cream, ice and icecream."
    tokens = run.source.tokenizer.tokenize(line)
    found = Glossary(terms, run.source, run.target).terms(line, line, tokens)
    assert [term.text for term in found] == ["彼", "アイス", "氷"]
    for term, phrase in zip(found, ("He", "ice cream", "ice"), strict=True):
        inside = "".join(tokens[term.first : term.last + 1]).replace("▁", " ").strip()
        assert inside == phrase
        assert run.target.decode(term.words) == term.text
    assert tokens_of(line, (37, 38), tokens[:3]) is None


def test_a_phrase_may_be_spelt_otherwise_than_training_spells_it():
    german = TextCodec("de", Words("de"), Vocabulary((*SPECIAL, "Straße", "die")))
    found = Glossary({"Strasse": "road"}, german, german)
    (term,) = found.terms("die Strasse", german.usual("die Strasse"), ["die", "Straße"])
    assert (term.text, term.first, term.last) == ("road", 1, 1)


def test_prefixes_of_several_sentences(run):
    def wished(parts, prefix):
        found = wishes_for(run, [parts], {}, [prefix])
        return [(wish.prefix, wish.ends) for wish in found]

    assert wished(["A.", "B.", "C."], "猫だ。犬") == [("猫だ。", True), ("犬", False), ("", False)]
    assert wished(["A."], "猫だ。犬") == [("猫だ。犬", False)]
    assert wished(["A.", "B."], "") == [("", False)] * 2
    assert wished(["A."], "猫\nだ") == [("猫 だ", False)]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"glossary": {"a": " "}}, "must have a letter each"),
        ({"prefixes": ["a", "b"]}, "a prefix a line: 2 of 1 lines"),
        ({"prefixes": "a"}, "prefix texts must be a list"),
        ({"prefixes": ["a"], "documents": True}, "documents have no prefixes"),
        ({"glossary": {"a\udc80": "b"}}, "phrase of the glossary 1 is no UTF-8"),
    ],
)
def test_what_is_wrong_is_said(run, wrong, error):
    with pytest.raises(UserError, match=error):
        translate(run, ["a"], **wrong)


def test_terms_need_an_alignment():
    tiny = make_run(attention=fa_jax.AttentionConfig(span="none"))
    with pytest.raises(UserError, match="a glossary needs attention, and tiny looks at nothing"):
        translate(tiny, ["abba"], glossary={"abba": "x"})


@pytest.mark.parametrize(
    ("line", "phrase"), [("Ask about NEPTUNE.", "NEPTUNE"), ("I LIKE CATS AND DOGS.", "CATS")]
)
def test_a_phrase_may_stand_in_capitals(run, line, phrase):
    """Also where the line is read in another case."""
    (found,) = translate(run, [line], glossary={phrase: "ネプ計画"})
    assert "ネプ計画" in found["translations"][0]["text"]


def test_a_term_is_no_copy(run):
    """Nothing is copied inside the sentence here."""
    (wish,) = wishes_for(run, [["I like cats. #fun"]], {"cats": "ネコ"}, None)
    usual = run.source.usual(wish.masked)
    (term,) = wish.guide(usual, run.source.tokenizer.tokenize(usual), "en", run.target).terms
    assert run.target.decode(term.words) == "ネコ"


def test_a_phrase_of_the_glossary_is_not_copied(run):
    lines, glossary = ["I like Booking.com and x.com."], {"Booking.com": "予約サイト"}
    (found,) = translate(run, lines, glossary=glossary)
    text = found["translations"][0]["text"]
    assert "予約サイト" in text and "x.com" in text and "Booking" not in text


def test_a_copy_stands_at_its_own_place():
    """Not at that of an unknown word before it."""
    run = make_run()
    (found,) = translate(run, ["abz cabz %s."], run.config.decoding)
    text = found["translations"][0]["text"]
    assert text.count("%s") == 1 and "<unk>" not in text


def test_copies_are_told_apart(run):
    """Also where letters of one are unknown, and another is one such letter."""
    line, copies = (
        "Write to a@b.com or use \ue000, %s, %s and `x`.",
        ["a@b.com", "\ue000", "%s", "%s", "`x`"],
    )
    text = translate(run, [line])[0]["translations"][0]["text"]
    for copy in copies:
        assert text.count(copy) == copies.count(copy)


def test_copies_terms_and_prefixes_stay_as_they_are(run):
    """Also letters that the target's vocabulary lacks, and in capitals."""
    lines = [
        "Write to tom@example.com, `a  &amp; b`.",
        "ASK {name} ABOUT CATS.",
        "I like dogs. It rains.",
    ]
    prefixes = ["Ω", "", "私は猫が好き。雨"]
    found = translate(run, lines, n_best=3, glossary={"cats": "neko ♥\n猫"}, prefixes=prefixes)
    texts = [[one["text"] for one in record["translations"]] for record in found]
    wanted = [["tom@example.com", "`a  &amp; b`"], ["{name}", "neko ♥ 猫"], []]
    for of_line, kept, prefix in zip(texts, wanted, prefixes, strict=True):
        for text in of_line:
            assert all(part in text for part in kept) and text.startswith(prefix)


def test_numbers_are_kept_and_no_other_is_written(run):
    """In wide digits, as the run learnt them; a glossary comes first."""
    numbers = {
        "I was born in 1924.": ["1924"],
        "He has 3 cats and 8,211 dogs.": ["3", "8,211"],
        "It costs 12.50.": ["12.50"],
    }
    records = translate(run, [*numbers], n_best=3)
    for record, kept in zip(records, numbers.values(), strict=True):
        for text in (one["text"] for one in record["translations"]):
            plain = unicodedata.normalize("NFKC", text)
            assert sorted(re.findall(r"\d+(?:[.,]\d+)*", plain)) == sorted(kept)
            assert not re.search("[0-9]", text)
    (record,) = translate(run, ["I was born in 1924."], glossary={"1924": "大昔"})
    assert "大昔" in record["translations"][0]["text"]


def test_a_trace_is_of_what_is_kept_too(run):
    for line, kept in (("I was born in 1924.", "１９２４"), ("Ask tom@example.com.", "tom@")):
        found = fa_jax.trace(run, line)
        (record,) = translate(run, [line])
        assert kept in found.translation == record["translations"][0]["text"]
        assert len(found.target_tokens) == len(found.focus)


@pytest.mark.parametrize(
    ("line", "around"),
    [
        ("- {} 😀", "- {} 😀"),
        ("**{}**", "**{}**"),
        ("“{}”", "「{}」"),
        ("({})", "（{}）"),
        ("1. {}", "1.{}"),
        ("@tom {} #cats", "@tom {} #cats"),
        ("[10:32] {}[1]", "[10:32] {}[1]"),
        ("> %s (“{}”)", "> "),
    ],
)
def test_what_stands_around_a_sentence_stands_around_its_translation(run, line, around):
    (alone, framed) = (
        record["translations"][0]["text"]
        for record in translate(run, ["I like cats.", line.format("I like cats.")])
    )
    assert framed == around.format(alone) or ("%s" in line and framed.startswith(around))


def test_additions_stand_at_the_words_that_come_from_theirs(run):
    lines = ["I like cats.", "I like *cats*.", "I like cats[2] .", "Type `%s` now."]
    plain, starred, noted, code = (r["translations"][0]["text"] for r in translate(run, lines))
    assert (starred.replace("*", ""), starred.count("*")) == (plain, 2)
    assert noted.replace("[2]", "") == plain and noted.index("猫") < noted.index("[2]")
    assert "猫" in starred.split("*")[1] and "`%s`" in code


def test_what_has_no_letter_is_written_as_it_is():
    tiny = make_run()
    codecs = replace(tiny.source, language="de"), replace(tiny.target, language="en")
    run = replace(tiny, source=codecs[0], target=codecs[1])
    lines = ["---", "2.500,5", "12:30", "http://a.example/x?y=1", "😀 {name}"]
    texts = [record["translations"][0]["text"] for record in translate(run, lines)]
    assert texts == ["---", "2,500.5", "12:30", "http://a.example/x?y=1", "😀 {name}"]


def test_who_learnt_from_lines_without_stops_is_given_none(run, tmp_path):
    (tmp_path / "corpus.json").write_text('{"ended": 0.4}')
    other = replace(run, folder=tmp_path)
    texts = [trace(one, "I like cats").source_tokens[-1] for one in (run, other)]
    assert texts == [".", "▁cats"]


def test_a_trace_passes_over_what_has_no_letter(run):
    found = fa_jax.trace(run, "1. I like cats. ---")
    alone = fa_jax.trace(run, "I like cats.")
    assert found.source_tokens == alone.source_tokens
    assert found.translation == f"1.{alone.translation}---"
    with pytest.raises(UserError, match="a line without a word"):
        fa_jax.trace(run, "---")
