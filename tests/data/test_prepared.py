"""A corpus as numbers: made once, whoever asks."""

from dataclasses import replace

import numpy as np
import pytest

from fa_jax.config import DataConfig
from fa_jax.data import prepared
from fa_jax.data.encoded import EncodedTexts
from fa_jax.data.prepared import prepare
from fa_jax.data.tokenizers import Characters
from fa_jax.data.vocabulary import Vocabulary

TEXTS = {"en": ["a cab", "a bad cab", "abba"], "ja": ["いろは", "にほ", "へといろ"]}


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("FA_JAX_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "text"
    folder.mkdir()
    for split in ("train", "validation", "test"):
        for language, lines in TEXTS.items():
            text = "".join(f"{line}\n" for line in lines)
            (folder / f"{split}.{language}").write_text(text, encoding="utf-8")
    return DataConfig(languages="en-ja", corpus=str(folder), tokenizer="character")


@pytest.fixture
def tokenized(monkeypatch):
    """Every text that was tokenized, in order."""
    seen, tokenize = [], Characters.tokenize
    monkeypatch.setattr(
        Characters, "tokenize", lambda self, text: seen.append(text) or tokenize(self, text)
    )
    return seen


def numbers(data):
    return [
        [list(map(int, text)) for text in side] for side in (data.train.source, data.train.target)
    ]


def test_numbers_are_the_codecs(config):
    data = prepare(config)
    for side, codec, texts in zip(
        numbers(data), (data.source, data.target), TEXTS.values(), strict=True
    ):
        assert side == [codec.encode(text) for text in texts]
        assert [codec.decode(text) for text in side] == texts


def test_two_processes_learn_what_one_learns(config, tokenized, monkeypatch, tmp_path):
    alone = prepare(config)
    tokenized.clear()
    monkeypatch.setenv("FA_JAX_CACHE", str(tmp_path / "another"))
    monkeypatch.setattr(prepared, "WORTH_PROCESSES", 1)
    monkeypatch.setattr(prepared, "PART", 2)
    both = prepare(config)
    assert not tokenized  # here
    assert (both.source, both.target) == (alone.source, alone.target)
    assert numbers(both) == numbers(alone)


def test_parts_are_removed_though_a_sides_numbers_were_there(config, tokenized, tmp_path):
    prepare(config)
    other = prepare(replace(config, target_vocabulary=7))
    assert len(tokenized) == 12 and len(other.target.vocabulary) == 7
    assert not [*(tmp_path / "cache" / "tokens").glob("[!.]*")]


def test_what_was_tokenized_before_a_stop_stays(config, tokenized, monkeypatch, tmp_path):
    """And nothing else stays than what is read later."""
    alone = prepare(config)
    monkeypatch.setenv("FA_JAX_CACHE", str(tmp_path / "another"))
    monkeypatch.setattr(prepared, "PART", 2)
    save = prepared.np.save

    def stopped(path, array):
        if len(tokenized) == 6 + 5:
            raise KeyboardInterrupt
        save(path, array)

    monkeypatch.setattr(prepared.np, "save", stopped)
    with pytest.raises(KeyboardInterrupt):
        prepare(config)
    monkeypatch.setattr(prepared.np, "save", save)
    tokenized.clear()
    again = prepare(config)
    assert tokenized == TEXTS["ja"]  # its first part was not yet kept
    assert (again.source, again.target) == (alone.source, alone.target)
    assert numbers(again) == numbers(alone)
    assert not [*(tmp_path / "another" / "tokens").glob("[!.]*")]


def test_nothing_is_tokenized_twice(config, tokenized):
    first = prepare(config)
    assert tokenized == TEXTS["en"] + TEXTS["ja"]
    again = prepare(replace(config, max_length=7, padded_shapes=3))
    assert (first.max_length, again.max_length) == (150, 7)
    given = prepare(config, codecs=(first.source, first.target))
    assert (first.source, first.target) == (again.source, again.target)
    assert (first.source, first.target) == (given.source, given.target)
    assert numbers(first) == numbers(again) == numbers(given)
    assert len(tokenized) == 6


def test_codecs_that_came_first_are_not_tokenized_for_again(config, tokenized):
    other = prepare(replace(config, target_vocabulary=7))
    assert len(tokenized) == 6
    prepare(config, codecs=(other.source, other.target))
    assert len(tokenized) == 6


def test_other_codecs_are_other_numbers(config, tokenized):
    data = prepare(config)
    fewer = replace(data.target, vocabulary=Vocabulary(data.target.vocabulary.tokens[:6]))
    source, target = numbers(prepare(config, codecs=(data.source, fewer)))
    assert source == numbers(data)[0]
    assert target == [[n if n < 6 else 3 for n in text] for text in numbers(data)[1]]
    assert len(tokenized) == 9


def test_changed_text_is_encoded_again(config, tokenized):
    prepare(config)
    path = f"{config.corpus}/train.en"
    with open(path, "w", encoding="utf-8") as file:
        file.write("dab\na\nb\n")
    data = prepare(config)
    assert [data.source.decode(text) for text in numbers(data)[0]] == ["dab", "a", "b"]


def test_text_as_people_have_it_is_learnt_from_as_clean_text(config, tokenized):
    clean = prepare(config)
    for split in ("train", "validation", "test"):
        lines = "\ufeffa\xa0cab \0\r\na \u3000bad ca\xadb\nab\u200bba\t\n"
        with open(f"{config.corpus}/{split}.en", "w", encoding="utf-8", newline="") as file:
            file.write(lines)
    dirty = prepare(config)
    assert dirty.source == clean.source
    assert numbers(dirty) == numbers(clean)
    assert tokenized[6:9] == TEXTS["en"]
    assert dirty.corpus.test[1][0] == "a \u3000bad ca\xadb"


def test_texts_are_taken_in_any_order():
    texts = EncodedTexts(np.array([5, 6, 7, 8, 9], np.int32), np.array([0, 2, 2, 5]))
    taken = texts.take(np.array([2, 1, 0, 2]))
    assert [text.tolist() for text in taken] == [[7, 8, 9], [], [5, 6], [7, 8, 9]]
    assert taken.lengths.tolist() == [3, 0, 2, 3]
    assert len(texts.take(np.arange(0))) == 0
