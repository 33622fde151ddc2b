"""A corpus as numbers: tokenized once, kept on disk, read without loading it all.

Its texts are tokenized part by part, on all cores. What is done stays if the process is stopped,
and memory has the size of a part.
"""

import json
import shutil
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from jaxtyping import Int
from tqdm import tqdm

from fa_jax.cache import held, kept, place_of
from fa_jax.config import DataConfig
from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.data.corpora import Corpus, load_corpus
from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.learnt_from import longest_learnt
from fa_jax.data.reading import read
from fa_jax.data.tokenizers import TOKENIZERS, Tokenizer, saved_tokenizer
from fa_jax.data.vocabulary import UNKNOWN, most_frequent
from fa_jax.errors import UserError
from fa_jax.processes import Share, on_all_cores
from fa_jax.whole_files import write_text

NOT_LEARNT_FROM = ("corpus", "max_length", "documents", "padded_shapes")
"""Settings that change no vocabulary; a corpus counts by its text."""
WORTH_PROCESSES = 50_000
"""Pairs from which other processes pay: they take some two seconds to start."""
PART = 20_000
"""Texts that are tokenized together."""


@dataclass(frozen=True)
class PreparedData:
    """All that training reads.

    train: in the corpus's order, with its long sentences. max_length: tokens of the longest that is
    learnt from, on either side.
    """

    corpus: Corpus
    source: TextCodec
    target: TextCodec
    train: EncodedPairs
    max_length: int


def prepare(
    config: DataConfig,
    codecs: tuple[TextCodec, TextCodec] | None = None,
    share: Share = on_all_cores,
) -> PreparedData:
    """Corpus, vocabularies, and the training set as numbers; made once and kept in the cache.

    Args:
      config: which corpus, and what is learnt on its training set.
      codecs: of source and target, instead of learnt ones.
      share: who tokenizes the parts of the text.

    Raises:
      UserError: see `load_corpus`; or the tokenizer cannot be learnt from its text.
    """
    corpus = load_corpus(config.corpus, config.languages)
    sides = (
        _Side(corpus, 0, corpus.source_language, config.source_vocabulary),
        _Side(corpus, 1, corpus.target_language, config.target_vocabulary),
    )
    source, target = codecs or _learnt(sides, config, share)
    train = EncodedPairs(_encoded(sides[0], source, share), _encoded(sides[1], target, share))
    longest = config.max_length or longest_learnt(train.lengths, config.tokenizer)
    return PreparedData(corpus, source, target, train, longest)


@dataclass(frozen=True)
class _Side(Sequence[str]):
    """The texts of a corpus's training set on one side (0: source), read, as often as asked for.
    size: tokens that its vocabulary is to have."""

    corpus: Corpus
    place: int
    language: str
    size: int

    def __len__(self) -> int:
        return len(self.corpus.train)

    def __getitem__(self, row: int) -> str:
        return read(self.corpus.train[row][self.place])

    def __iter__(self) -> Iterator[str]:
        return map(read, self.corpus.train.side(self.place))

    def part(self, rows: range) -> Iterator[str]:
        return map(read, self.corpus.train.side(self.place, rows.start, rows.stop))


def _learnt(sides: tuple[_Side, _Side], config: DataConfig, share: Share) -> list[TextCodec]:
    """What is learnt on these texts. They are tokenized for it, so their tokens are kept, too."""
    names = "source", "target"

    def write(folder: Path):
        if config.tokenizer not in TOKENIZERS:
            known = ", ".join(TOKENIZERS)
            raise UserError(f"data.tokenizer must be {known}, got {config.tokenizer!r}")
        learn = partial(_tokenizer, TOKENIZERS[config.tokenizer])
        tokenizers = on_all_cores(learn, sides, worth=len(sides[0]) >= WORTH_PROCESSES)
        for side, tokenizer, name in zip(sides, [*tokenizers], names, strict=True):
            counts = Counter()
            with _tokenized(side, tokenizer, share) as parts:
                for tokens, found in map(_tokens, parts):
                    of_part = np.bincount(tokens, minlength=len(found)).tolist()
                    counts.update(dict(zip(found, of_part, strict=True)))
            vocabulary = most_frequent(counts, side.size)
            save_codec(TextCodec(side.language, tokenizer, vocabulary), folder, name)

    settings = {k: v for k, v in asdict(config).items() if k not in NOT_LEARNT_FROM}
    folder = kept(place_of("vocabularies", (sides[0].corpus.digest, settings)), write)
    return [load_codec(folder, name) for name in names]


def _tokenizer(kind: type[Tokenizer], texts: _Side) -> Tokenizer:
    return kind.learn(texts, texts.language, texts.size)


def _encoded(texts: _Side, codec: TextCodec, share: Share) -> EncodedTexts:
    """The texts as the codec's numbers."""

    def write(folder: Path):
        with _tokenized(texts, codec.tokenizer, share) as parts:
            lengths = [np.load(part / "lengths.npy", allow_pickle=False) for part in parts]
            offsets = np.concatenate([[0], *lengths], dtype=np.int64).cumsum()
            np.save(folder / "offsets.npy", offsets)
            header = {"descr": "<i4", "fortran_order": False, "shape": (int(offsets[-1]),)}
            with open(folder / "tokens.npy", "wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                for tokens, found in map(_tokens, parts):
                    known = np.array(codec.vocabulary.ids(found) or [UNKNOWN], "<i4")
                    file.write(known[tokens].data)

    of = texts.corpus.digest, texts.language, codec.files()
    folder = kept(place_of("encoded", of), write)
    if (parts := _place(texts, codec.tokenizer)).exists():
        with held(parts):
            shutil.rmtree(parts, ignore_errors=True)
    tokens = np.load(folder / "tokens.npy", mmap_mode="r", allow_pickle=False)
    return EncodedTexts(tokens, np.load(folder / "offsets.npy", allow_pickle=False))


@contextmanager
def _tokenized(texts: _Side, tokenizer: Tokenizer, share: Share) -> Iterator[list[Path]]:
    """Folders of the texts' parts (`_tokenize`); those that are not there are made. Meanwhile no
    other process removes them."""
    with held(place := _place(texts, tokenizer)):
        rows = [range(len(texts))[first : first + PART] for first in range(0, len(texts), PART)]
        parts = {place / f"{some.start}-{some.stop}": some for some in rows}
        new = [(folder, some) for folder, some in parts.items() if not folder.exists()]
        if new:
            title, count = f"tokenizing {texts.language}", sum(len(some) for _, some in new)
            if not sys.stderr.isatty():
                print(f"{title}: {count:,} sentences", file=sys.stderr)
            tokenize = partial(_tokenize, texts, tokenizer)
            with tqdm(desc=title, total=count, unit=" sentences", disable=None, leave=False) as bar:
                done = share(tokenize, new, worth=count >= WORTH_PROCESSES)
                for (_, some), _ in zip(new, done, strict=True):
                    bar.update(len(some))
        yield [*parts]


def _place(texts: _Side, tokenizer: Tokenizer) -> Path:
    """Of the parts."""
    return place_of("tokens", (texts.corpus.digest, texts.place, saved_tokenizer(tokenizer)))


def _tokenize(texts: _Side, tokenizer: Tokenizer, part: tuple[Path, range]):
    """Keeps a part's tokens, by their numbers of first appearance, and each text's length."""
    place, rows = part

    def write(folder: Path):
        numbers: dict[str, int] = {}
        tokens, lengths = array("i"), array("i")
        for text in texts.part(rows):
            found = tokenizer.tokenize(text)
            tokens.extend([numbers.setdefault(token, len(numbers)) for token in found])
            lengths.append(len(found))
        np.save(folder / "tokens.npy", np.asarray(tokens))
        np.save(folder / "lengths.npy", np.asarray(lengths))
        write_text(folder / "found.json", json.dumps([*numbers]))

    kept(place, write)


def _tokens(part: Path) -> tuple[Int[np.ndarray, " tokens"], list[str]]:
    """A part's tokens by number, and what they are."""
    tokens = np.load(part / "tokens.npy", allow_pickle=False)
    return tokens, json.loads((part / "found.json").read_text())
