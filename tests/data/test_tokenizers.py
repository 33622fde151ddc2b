"""Tokens of real text, and back."""

import pytest
from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab
from sentencepiece import SentencePieceProcessor

from fa_jax.data.corpora import load_corpus
from fa_jax.data.tokenizers import Characters, Subwords, Words
from fa_jax.errors import UserError


@pytest.fixture(scope="module")
def texts():
    pairs = list(load_corpus("tatoeba_en_ja", "en-ja").validation)
    return {"en": [a for a, _ in pairs], "ja": [b for _, b in pairs]}


def test_japanese_words_are_those_of_sacrebleu(texts):
    theirs, ours = TokenizerJaMecab(), Words("ja")
    for text in texts["ja"]:
        assert " ".join(ours.tokenize(text)) == theirs(text)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_words_come_back(texts, language):
    tokenizer = Words(language)
    back = [tokenizer.detokenize(tokenizer.tokenize(text)) for text in texts[language]]
    same = sum(a == b for a, b in zip(back, texts[language], strict=True))
    assert same / len(back) > 0.97


@pytest.fixture(scope="module")
def subwords(texts):
    return {language: Subwords.learn(text, language, 2000) for language, text in texts.items()}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_characters_and_subwords_come_back_exactly(texts, subwords, language):
    text = texts[language]
    for tokenizer in (Characters(), subwords[language]):
        assert [tokenizer.detokenize(tokenizer.tokenize(t)) for t in text] == text


def test_no_japanese_subword_is_longer_than_a_word(texts, subwords):
    theirs = TokenizerJaMecab()
    words = {word for text in texts["ja"] for word in theirs(text).split()}
    processor = SentencePieceProcessor(model_proto=subwords["ja"].model)
    pieces = [processor.id_to_piece(n).strip("▁") for n in range(1, processor.get_piece_size())]
    longer = [piece for piece in pieces if len(piece) > 1]
    assert len(longer) > 300
    assert [piece for piece in longer if not any(piece in word for word in words)] == []


def test_subwords_are_learnt_across_the_spaces_of_japanese():
    text = ["「Mac OS」は名前です。"] * 9
    learnt = Subwords.learn(text, "ja", 40)
    assert learnt.tokenize(text[0]).count("▁OS") == 1
    assert learnt.detokenize(learnt.tokenize(text[0])) == text[0]


def test_where_letters_crowd_a_vocabulary_the_rarest_ones_are_unknown():
    rare = [chr(0x4E00 + n) for n in range(90)]
    text = [*["the cat sat on the mat"] * 500, *rare]
    learnt = Subwords.learn(text, "en", 100)
    processor = SentencePieceProcessor(model_proto=learnt.model)
    known = sum(not processor.is_unknown(processor.piece_to_id(letter)) for letter in rare)
    assert learnt.detokenize(learnt.tokenize("the cat")) == "the cat"
    assert 50 < known < 75
    with pytest.raises(UserError, match="more than its letters"):
        Subwords.learn(rare, "en", 60)


def test_chinese_characters_are_words():
    text = "他很高兴,Tom。"
    assert Words("zh").tokenize(text) == ["他", "很", "高", "兴", ",", "Tom", "。"]
    assert Words("zh").detokenize(Words("zh").tokenize(text)) == text


def test_subwords_are_learnt_of_long_lines_too():
    lines = ["zebra quux " * 500, *["the book is on the desk"] * 9]
    assert "▁zebra" in Subwords.learn(lines, "en", 60).tokenize("a zebra")


def test_a_damaged_model_of_subwords_is_told_at_once(subwords):
    with pytest.raises(ValueError, match="empty"):
        Subwords(b"")
    with pytest.raises(RuntimeError):
        Subwords(subwords["en"].model[:-9])


def test_subwords_keep_to_their_number_and_are_the_same_each_time(texts):
    first, again = (Subwords.learn(texts["en"], "en", 303) for _ in range(2))
    assert first == again
    pieces = {piece for text in texts["en"] for piece in first.tokenize(text)}
    assert 200 < len(pieces) <= 300
    assert "▁the" in pieces


def test_japanese_words_keep_the_space_between_latin_ones():
    assert Words("ja").detokenize(["Mac", "OS", "を", "使う", "。"]) == "Mac OSを使う。"
