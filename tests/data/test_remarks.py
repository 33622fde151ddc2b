"""What a corpus has that makes a number on it less than it seems."""

from dataclasses import replace

import pytest

from fa_jax.config import DataConfig
from fa_jax.data.encoded import EncodedPairs
from fa_jax.data.prepared import prepare
from fa_jax.data.remarks import left_out, repeated

PAIRS = {
    "train": [("abc", "いろは"), ("", "に"), ("aaaaa", "ほ"), ("b", "へとちりぬ"), ("c", "る")],
    "validation": [("ab", "いろ")],
    "test": [("abc", "いろは"), ("abc", "いろ"), ("c", "る")],
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("FA_JAX_CACHE", str(tmp_path / "cache"))
    for split, pairs in PAIRS.items():
        text = "".join(f"{source}\t{target}\n" for source, target in pairs)
        (tmp_path / f"{split}.tsv").write_text(text, encoding="utf-8")
    return prepare(DataConfig(languages="en-ja", corpus=str(tmp_path), tokenizer="character"))


def test_pairs_that_are_not_learnt_from_are_counted(data):
    line = left_out(replace(data, max_length=4))
    assert "of 5 training pairs" in line
    assert "2 with more than 4 tokens" in line and "1 with an empty side" in line
    assert "tokens" not in left_out(replace(data, max_length=5))


def test_nothing_is_said_where_all_pairs_are_learnt_from(data):
    targets = data.train.target
    assert left_out(replace(data, train=EncodedPairs(targets, targets), max_length=5)) == ""


def test_test_pairs_that_are_training_pairs_are_counted(data):
    (line,) = repeated(data.corpus)
    assert line.startswith("2 of 3 test pairs are training pairs, too")
