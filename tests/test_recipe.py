"""What follows from the amount of text, and that nothing follows from a corpus's name."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fa_jax
from fa_jax.data.corpora import load_corpus
from fa_jax.data.prepared import prepare
from fa_jax.data.vocabulary import UNKNOWN
from fa_jax.finetuning_settings import THRESHOLD
from fa_jax.presets import SMALL_SIZES
from fa_jax.recipe import Amount, amount_of_text, fitted, told
from tests.command import write_corpus

EMBEDDED = Path(fa_jax.__file__).parent / "data" / "corpora"


@pytest.mark.parametrize("size", SMALL_SIZES)
def test_a_corpus_by_another_name_gets_the_same_settings(size, tmp_path):
    folder = shutil.copytree(EMBEDDED / "tatoeba_de_en", tmp_path / "my own text")
    named, own = (fa_jax.preset(size, "de-en", corpus) for corpus in ("tatoeba_de_en", str(folder)))
    assert replace(own, data=replace(own.data, corpus="tatoeba_de_en")) == named


def test_words_are_counted_whatever_the_writing(tmp_path):
    corpus = load_corpus(str(write_corpus(tmp_path / "text", train=40)), "en-ja")
    amount = amount_of_text(corpus)
    assert amount.pairs == 40
    # Short sentences of everyday Japanese.
    assert 6 < amount.words / 40 < 14
    assert amount.ended == 1.0


@pytest.mark.parametrize("languages", ["de-en", "en-ja"])
def test_sigma_is_as_many_words_in_characters(languages):
    """Words between spaces are longer: they have their marks, and a space."""
    chars, words = (fa_jax.preset(f"small-{kind}", languages) for kind in ("chars", "words"))
    corpus = load_corpus(words.data.corpus, languages)
    texts = [*corpus.train.side(0, 0, 5000)]
    a_word = sum(map(len, texts)) / sum(len(text.split()) for text in texts)
    assert words.model.attention.span.sigma == 1.5
    assert 0.7 * a_word < chars.model.attention.span.sigma / 1.5 < a_word
    assert fa_jax.preset("char", languages).model.attention.span.sigma == 1.5


def test_long_sentences_are_learnt_in_a_third_of_them_where_g_is_1():
    of_length = {
        length: fitted(fa_jax.preset("small", "en-ja"), Amount(10**6, 10**7, source_length=length))
        for length in (5, 30, 60)
    }
    thresholds = {length: config.training.threshold for length, config in of_length.items()}
    assert thresholds[5] == THRESHOLD == fa_jax.preset("small", "en-ja").training.threshold
    for length in (30, 60):
        inside = np.arange(-length, length) ** 2 / (2 * 1.5**2) < thresholds[length]
        assert inside.sum() == pytest.approx(length / 3, abs=1)
    assert fa_jax.finetuning(of_length[30]).training.threshold == thresholds[30]


def test_little_text_with_many_letters_still_gets_its_subwords(tmp_path):
    """Japanese has more letters than a thousand subwords could name."""
    train = [(f"{n}", chr(0x4E00 + n % 1500)) for n in range(4500)]
    for split, pairs in {"train": train, "validation": train[:2], "test": train[:2]}.items():
        lines = "".join(f"{source}\t{target}\n" for source, target in [("en", "ja"), *pairs])
        (tmp_path / f"{split}.tsv").write_text(lines, encoding="utf-8")
    config = fa_jax.preset("small", "en-ja", str(tmp_path))
    assert config.data.source_vocabulary == 1010 and config.data.target_vocabulary > 2000
    data = prepare(config.data)
    known = UNKNOWN not in np.concatenate([*data.train.target])
    assert known and len(data.target.vocabulary) > 1500


def test_little_text_wants_few_subwords_much_dropout_and_small_batches():
    """The study's own sets, 0.1 and 3.2 million words of some 20 a sentence."""
    start = fa_jax.Config(data=replace(fa_jax.DataConfig(), target_vocabulary=30_000))
    little, much = (fitted(start, Amount(words // 20, words)) for words in (100_000, 3_200_000))
    assert (little.data.target_vocabulary, much.data.target_vocabulary) == (1000, 30_000)
    assert (little.model.dropout, much.model.dropout) == (0.5, 0.0)
    assert (little.training.batch_size, much.training.batch_size) == (64, 128)


def test_tokens_of_another_kind_count_as_words():
    kinds = [fa_jax.DataConfig(tokenizer=kind) for kind in ("word", "split")]
    word, split = (fitted(fa_jax.Config(data=data), Amount(5000, 60_000)) for data in kinds)
    assert replace(split, data=replace(split.data, tokenizer="word")) == word
    assert "splits" in told(split, Amount(5000, 60_000))


@pytest.mark.parametrize("words", [1, 10**4, 10**6, 10**9])
def test_any_amount_gives_settings_that_can_be(words):
    config = fitted(fa_jax.Config(), Amount(max(1, words // 20), words))
    assert 0 <= config.model.dropout <= 0.5
    assert 1000 <= config.data.source_vocabulary <= 4000
    assert 64 <= config.training.batch_size <= 128


def test_what_is_told_are_the_settings_and_their_source():
    amount = Amount(199_448, 2_000_000)
    config = fitted(fa_jax.preset("small", "en-ja"), amount)
    line = told(config, amount)
    assert "199,448 pairs" in line and "Sennrich and Zhang 2019" in line
    assert f"dropout {config.model.dropout:g}" in line and "4,000 subwords" in line
    assert "2,500 steps of 128 pairs, 1.6 epochs (after" in line
    paper = told(fa_jax.preset("paper", "en-ja"), amount)
    assert "18,699 steps of 64 pairs, 6 epochs" in paper and "Sennrich" not in paper
    whole = replace(config, training=replace(config.training, batch_size=1000, steps=5))
    assert "5 steps of 300 pairs, padded to 1,000, 5 epochs" in told(whole, Amount(300, 3000))
