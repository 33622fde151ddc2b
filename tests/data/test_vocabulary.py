"""Numbers of tokens, and codecs on disk."""

import pytest

from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.data.tokenizers import Characters, Words, train_subwords
from fa_jax.data.vocabulary import most_frequent
from fa_jax.errors import UserError

COUNTS = {"b": 2, "a": 2, "c": 5, "d": 1, "<pad>": 9}


def test_most_frequent_first_and_ties_in_order():
    assert most_frequent(COUNTS, 7).tokens == ("<pad>", "<s>", "</s>", "<unk>", "c", "a", "b")


def test_numbers_and_back():
    vocabulary = most_frequent(COUNTS, 7)
    assert vocabulary.ids(["c", "b", "d", "?"]) == [4, 6, 3, 3]
    assert vocabulary.words([4, 6, 3]) == ["c", "b", "<unk>"]


@pytest.mark.parametrize("kind", ["word", "character", "subword"])
def test_a_codec_comes_back_from_disk(kind, tmp_path):
    texts = ["It rains today.", "It rained."] * 20
    tokenizer = {
        "word": lambda: Words("en"),
        "character": Characters,
        "subword": lambda: train_subwords(texts, 40, "en"),
    }[kind]()
    counts = {}
    for text in texts:
        for token in tokenizer.tokenize(text):
            counts[token] = counts.get(token, 0) + 1
    codec = TextCodec("en", tokenizer, most_frequent(counts, 100))
    save_codec(codec, tmp_path, "source")
    loaded = load_codec(tmp_path, "source")
    assert loaded == codec
    assert loaded.decode([1, *loaded.encode(texts[0]), 2, 5, 0]) == texts[0]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"tokenizer": "word"}', '{"tokens": ["a"]}'])
def test_a_damaged_file_is_named(content, tmp_path):
    (tmp_path / "source.vocabulary.json").write_text(content)
    with pytest.raises(UserError, match=r"source\.vocabulary\.json"):
        load_codec(tmp_path, "source")


def test_a_missing_or_damaged_subword_model_is_named(tmp_path):
    texts = ["It rains today."] * 20
    save_codec(
        TextCodec("en", train_subwords(texts, 20, "en"), most_frequent({}, 9)), tmp_path, "source"
    )
    for break_it in (lambda path: path.write_bytes(b"no model"), lambda path: path.unlink()):
        break_it(tmp_path / "source.subwords.model")
        with pytest.raises(UserError, match=r"source\.vocabulary\.json"):
            load_codec(tmp_path, "source")
