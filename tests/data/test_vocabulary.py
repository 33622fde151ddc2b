"""Numbers of tokens, and codecs on disk."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

import fa_jax
from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.data.tokenizers import TOKENIZERS, Characters, Subwords, Words
from fa_jax.data.vocabulary import BEGIN, END, PAD, most_frequent
from fa_jax.errors import UserError

COUNTS = {"b": 2, "a": 2, "c": 5, "d": 1, "<pad>": 9}


def test_most_frequent_first_and_ties_in_order():
    assert most_frequent(COUNTS, 7).tokens == ("<pad>", "<s>", "</s>", "<unk>", "c", "a", "b")


def test_numbers_and_back():
    vocabulary = most_frequent(COUNTS, 7)
    assert vocabulary.ids(["c", "b", "d", "?"]) == [4, 6, 3, 3]
    assert [vocabulary.tokens[n] for n in (4, 6, 3)] == ["c", "b", "<unk>"]


@pytest.mark.parametrize("kind", ["word", "character", "subword"])
def test_a_codec_comes_back_from_disk(kind, tmp_path):
    texts = ["It rains today.", "It rained."] * 20
    tokenizer = {
        "word": lambda: Words("en"),
        "character": Characters,
        "subword": lambda: Subwords.learn(texts, "en", 43),
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


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_what_a_text_says_is_no_control(kind):
    """Not even where training's text was full of it."""
    text = "a </s> b <pad> c <s> d <unk> e ▁ f"
    tokenizer = TOKENIZERS[kind].learn([text] * 9, "en", 60)
    counts = Counter(tokenizer.tokenize(text))
    codec = TextCodec("en", tokenizer, most_frequent(counts, 60))
    ids = codec.encode(text)
    assert not {PAD, BEGIN, END} & {*ids}
    found = codec.decode(ids).split()
    assert (found[0], found[-1]) == ("a", "f")
    assert "▁" not in tokenizer.tokenize("a▁b") or kind == "word"


@pytest.mark.parametrize("side", ["source", "target"])
def test_the_run_of_the_package_is_written_as_it_was(side, tmp_path):
    folder = Path(fa_jax.__file__).parent / "pretrained" / "en-ja"
    save_codec(load_codec(folder, side), tmp_path, side)
    for name in (f"{side}.vocabulary.json", f"{side}.subwords.model"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


@dataclass(frozen=True)
class Halves:
    """Two tokens a text. It has a setting of every kind."""

    language: str
    rest: bytes
    share: float = 0.5

    @classmethod
    def learn(cls, texts, language, size):
        return cls(language, bytes([size]), 0.25)

    def tokenize(self, text):
        middle = int(len(text) * self.share)
        return [text[:middle], text[middle:]]

    def detokenize(self, tokens):
        return "".join(tokens)


def test_a_tokenizer_is_a_class_and_a_row(tmp_path, monkeypatch):
    monkeypatch.setitem(TOKENIZERS, "half", Halves)
    learnt = TOKENIZERS["half"].learn(["abcd"], "en", 9)
    codec = TextCodec("en", learnt, most_frequent({"a": 1, "bcd": 1}, 9))
    save_codec(codec, tmp_path, "source")
    assert load_codec(tmp_path, "source") == codec
    assert codec.encode("abcd") == [4, 5]
    assert (tmp_path / "source.halfs.rest").read_bytes() == b"\t"
    monkeypatch.delitem(TOKENIZERS, "half")
    with pytest.raises(UserError, match="unknown tokenizer 'half'"):
        load_codec(tmp_path, "source")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"tokenizer": "word"}', '{"tokens": ["a"]}'])
def test_a_damaged_file_is_named(content, tmp_path):
    (tmp_path / "source.vocabulary.json").write_text(content)
    with pytest.raises(UserError, match=r"source\.vocabulary\.json"):
        load_codec(tmp_path, "source")


def test_a_missing_or_damaged_subword_model_is_named(tmp_path):
    texts = ["It rains today."] * 20
    save_codec(
        TextCodec("en", Subwords.learn(texts, "en", 23), most_frequent({}, 9)),
        tmp_path,
        "source",
    )
    for break_it in (lambda path: path.write_bytes(b"no model"), lambda path: path.unlink()):
        break_it(tmp_path / "source.subwords.model")
        with pytest.raises(UserError, match=r"source\.vocabulary\.json"):
            load_codec(tmp_path, "source")
