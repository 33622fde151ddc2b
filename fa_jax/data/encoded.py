"""A corpus as numbers: tokenized once, kept on disk, read without loading it all."""

import hashlib
import os
import shutil
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int
from tqdm import tqdm

from fa_jax.cache import cache_folder, lock
from fa_jax.config import DataConfig
from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.data.corpora import Corpus, Pairs, load_corpus
from fa_jax.data.tokenizers import Characters, Reversed, Tokenizer, Words, train_subwords
from fa_jax.data.vocabulary import UNKNOWN, Vocabulary, most_frequent

FORMAT = "1"
"""Changes when what lies in the cache would be read differently."""


@dataclass(frozen=True)
class EncodedTexts:
    """Many texts' numbers behind each other; text i is tokens[offsets[i]:offsets[i + 1]]."""

    tokens: Int[np.ndarray, " tokens"]
    offsets: Int[np.ndarray, " boundaries"]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int | np.integer) -> Int[np.ndarray, " length"]:
        return self.tokens[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> Int[np.ndarray, " texts"]:
        return np.diff(self.offsets)


@dataclass(frozen=True)
class EncodedPairs:
    """Sentence pairs; row i of both sides belongs together."""

    source: EncodedTexts
    target: EncodedTexts


@dataclass(frozen=True)
class PreparedData:
    """All that training reads. train keeps the corpus's order and its long sentences."""

    corpus: Corpus
    source: TextCodec
    target: TextCodec
    train: EncodedPairs


def prepare(config: DataConfig, codecs: tuple[TextCodec, TextCodec] | None = None) -> PreparedData:
    """Corpus, vocabularies learnt on its training set (or given), and the training set encoded.

    Raises:
      UserError: see `load_corpus` and `train_subwords`.
    """
    corpus = load_corpus(config.corpus, config.languages)
    # Of a data config, what changes the numbers is in the key; given codecs are, by their tokens.
    key = _key(
        corpus.digest,
        config.languages,
        config.tokenizer,
        config.source_vocabulary,
        config.target_vocabulary,
        config.kytea_model,
        *(["reversed"] if config.reverse_source else []),
        *((codec.vocabulary.tokens, codec.tokenizer) for codec in codecs or ()),
    )
    folder = cache_folder() / "encoded" / key
    with lock(folder):
        if not folder.exists():
            _encode_into(folder, corpus, config, codecs)
    return PreparedData(
        corpus=corpus,
        source=load_codec(folder, "source"),
        target=load_codec(folder, "target"),
        train=EncodedPairs(_open(folder, "source"), _open(folder, "target")),
    )


def _encode_into(
    folder: Path,
    corpus: Corpus,
    config: DataConfig,
    codecs: tuple[TextCodec, TextCodec] | None,
):
    """Writes beside and renames, so that a folder that is there is whole."""
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for place, (side, language, size) in enumerate(
            (
                ("source", corpus.source_language, config.source_vocabulary),
                ("target", corpus.target_language, config.target_vocabulary),
            )
        ):
            texts = _Side(corpus.train, place)
            given = codecs[place] if codecs else None
            tokenizer = given.tokenizer if given else _tokenizer(config, language, texts, size)
            if config.reverse_source and side == "source" and not given:
                tokenizer = Reversed(tokenizer)
            tokens, offsets, found = _number(tokenizer, texts, f"tokenizing {language}")
            counts = np.bincount(tokens, minlength=len(found))
            frequency = dict(zip(found, counts.tolist(), strict=True))
            vocabulary = given.vocabulary if given else most_frequent(frequency, size)
            np.save(beside / f"{side}.tokens.npy", _renumber(found, vocabulary)[tokens])
            np.save(beside / f"{side}.offsets.npy", offsets)
            save_codec(TextCodec(language, tokenizer, vocabulary), beside, side)
        os.rename(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


@dataclass(frozen=True)
class _Side:
    """One side of pairs, as often as it is asked for."""

    pairs: Pairs
    place: int

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[str]:
        return (pair[self.place] for pair in self.pairs)


def _tokenizer(config: DataConfig, language: str, texts: Iterable[str], size: int) -> Tokenizer:
    match config.tokenizer:
        case "word":
            return Words(language, config.kytea_model if language == "ja" else "")
        case "character":
            return Characters()
        case "subword":
            # sentencepiece counts its own unknown; our other three special tokens come on top.
            return train_subwords(texts, size - 3, language)


def _number(
    tokenizer: Tokenizer, texts: _Side, title: str
) -> tuple[Int[np.ndarray, " tokens"], Int[np.ndarray, " boundaries"], list[str]]:
    """Each text's tokens by their number of first appearance, where texts begin, the tokens."""
    numbers: dict[str, int] = {}
    tokens, offsets = array("i"), array("q", [0])
    for text in _shown(texts, title):
        tokens.extend(numbers.setdefault(t, len(numbers)) for t in tokenizer.tokenize(text))
        offsets.append(len(tokens))
    return np.array(tokens, np.int32), np.array(offsets, np.int64), list(numbers)


def _renumber(found: list[str], vocabulary: Vocabulary) -> Int[np.ndarray, " found"]:
    return np.array(vocabulary.ids(found) or [UNKNOWN], np.int32)


def _shown(texts: _Side, title: str) -> Iterator[str]:
    if not sys.stderr.isatty():
        print(f"{title}: {len(texts):,} sentences", file=sys.stderr)
    return iter(tqdm(texts, desc=title, unit=" sentences", disable=None, leave=False))


def _open(folder: Path, side: str) -> EncodedTexts:
    tokens = np.load(folder / f"{side}.tokens.npy", mmap_mode="r", allow_pickle=False)
    return EncodedTexts(tokens, np.load(folder / f"{side}.offsets.npy", allow_pickle=False))


def _key(*parts: object) -> str:
    return hashlib.sha256(repr((FORMAT, *parts)).encode()).hexdigest()[:16]
