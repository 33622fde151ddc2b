"""A corpus as numbers: tokenized once, kept on disk, read without loading it all."""

import hashlib
import sys
from array import array
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from tqdm import tqdm

from fa_jax.cache import cache_folder, lock
from fa_jax.config import DataConfig
from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.data.corpora import Corpus, load_corpus
from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.learnt_from import longest_learnt
from fa_jax.data.reading import read
from fa_jax.data.tokenizers import TOKENIZERS, Tokenizer
from fa_jax.data.vocabulary import UNKNOWN, most_frequent
from fa_jax.errors import UserError
from fa_jax.whole_files import whole_folder

FORMAT = "4"
"""Changes when what lies in the cache would be read or learnt differently."""
NOT_LEARNT_FROM = ("corpus", "max_length", "documents", "padded_shapes")
"""Settings that change no vocabulary; a corpus counts by its text."""
WORTH_PROCESSES = 50_000
"""Pairs from which a second process pays: it takes some two seconds to start."""
Numbers = tuple[Int[np.ndarray, " tokens"], Int[np.ndarray, " boundaries"], list[str]]


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


def prepare(config: DataConfig, codecs: tuple[TextCodec, TextCodec] | None = None) -> PreparedData:
    """Corpus, vocabularies, and the training set as numbers; made once and kept in the cache.

    Args:
      config: which corpus, and what is learnt on its training set.
      codecs: of source and target, instead of learnt ones.

    Raises:
      UserError: see `load_corpus`; or the tokenizer cannot be learnt from its text.
    """
    corpus = load_corpus(config.corpus, config.languages)
    sides = _Side(corpus, 0, corpus.source_language), _Side(corpus, 1, corpus.target_language)
    if not codecs:
        _learn_side_by_side(sides, config)
    source, target = codecs or (_learnt(side, config) for side in sides)
    train = EncodedPairs(_encoded(sides[0], source), _encoded(sides[1], target))
    longest = config.max_length or longest_learnt(train.lengths, config.tokenizer)
    return PreparedData(corpus, source, target, train, longest)


@dataclass(frozen=True)
class _Side:
    """The texts of a corpus's training set on one side (0: source), read, as often as asked for."""

    corpus: Corpus
    place: int
    language: str

    def __iter__(self) -> Iterator[str]:
        return map(read, self.corpus.train.side(self.place))


def _learn_side_by_side(sides: tuple[_Side, _Side], config: DataConfig):
    """Of much text that is new, each side in a process of its own. What they learn is kept."""
    new = [side for side in sides if not _place(*_of_side(side, config)).exists()]
    if len(new) == 2 and len(new[0].corpus.train) >= WORTH_PROCESSES:
        Parallel(n_jobs=2)(delayed(_learnt)(side, config) for side in new)
        get_reusable_executor().shutdown()


def _of_side(texts: _Side, config: DataConfig) -> tuple[str, object]:
    settings = {k: v for k, v in asdict(config).items() if k not in NOT_LEARNT_FROM}
    return "vocabularies", (texts.corpus.digest, texts.place, settings)


def _learnt(texts: _Side, config: DataConfig) -> TextCodec:
    """What is learnt on these texts. They are tokenized for it, so their numbers are kept too."""
    size = (config.source_vocabulary, config.target_vocabulary)[texts.place]

    def write(folder: Path):
        if config.tokenizer not in TOKENIZERS:
            known = ", ".join(TOKENIZERS)
            raise UserError(f"data.tokenizer must be {known}, got {config.tokenizer!r}")
        tokenizer = TOKENIZERS[config.tokenizer].learn(texts, texts.language, size)
        tokens, _, found = numbers = _number(tokenizer, texts)
        counts = np.bincount(tokens, minlength=len(found)).tolist()
        vocabulary = most_frequent(dict(zip(found, counts, strict=True)), size)
        codec = TextCodec(texts.language, tokenizer, vocabulary)
        _encoded(texts, codec, numbers)
        save_codec(codec, folder, "learnt")

    return load_codec(_kept(*_of_side(texts, config), write), "learnt")


def _encoded(texts: _Side, codec: TextCodec, numbers: Numbers | None = None) -> EncodedTexts:
    """The texts as the codec's numbers. numbers: what `_number` gave, where it is known."""

    def write(folder: Path):
        tokens, offsets, found = numbers or _number(codec.tokenizer, texts)
        known = np.array(codec.vocabulary.ids(found) or [UNKNOWN], np.int32)
        np.save(folder / "tokens.npy", known[tokens])
        np.save(folder / "offsets.npy", offsets)

    folder = _kept("encoded", (texts.corpus.digest, texts.language, codec.files()), write)
    tokens = np.load(folder / "tokens.npy", mmap_mode="r", allow_pickle=False)
    return EncodedTexts(tokens, np.load(folder / "offsets.npy", allow_pickle=False))


def _number(tokenizer: Tokenizer, texts: _Side) -> Numbers:
    """Each text's tokens by their number of first appearance, where texts begin, the tokens."""
    numbers: dict[str, int] = {}
    tokens, offsets = array("i"), array("q", [0])
    title, count = f"tokenizing {texts.language}", len(texts.corpus.train)
    if not sys.stderr.isatty():
        print(f"{title}: {count:,} sentences", file=sys.stderr)
    shown = {"position": texts.place, "disable": None, "leave": False}
    for text in tqdm(texts, title, count, unit=" sentences", **shown):
        tokens.extend(numbers.setdefault(t, len(numbers)) for t in tokenizer.tokenize(text))
        offsets.append(len(tokens))
    return np.asarray(tokens), np.frombuffer(offsets, np.int64), list(numbers)


def _kept(kind: str, of: object, write: Callable[[Path], None]) -> Path:
    """The cache's folder of what was made `of` this; where there is none, what `write` makes."""
    folder = _place(kind, of)
    with lock(folder):
        if not folder.exists():
            with whole_folder(folder) as made:
                write(made)
    return folder


def _place(kind: str, of: object) -> Path:
    return cache_folder() / kind / hashlib.sha256(repr((FORMAT, of)).encode()).hexdigest()[:16]
