"""Text to tokens and back: words, characters, subwords.

Text is stripped of outer white space and otherwise left as it is: scores are computed on text as
people write it, so nothing is normalised away.
"""

import functools
import io
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import sacremoses
import sentencepiece

from fa_jax.errors import UserError

SPACE = "▁"
"""Stands for a space where tokens are characters or subwords."""
UNSPACED = ("ja", "zh", "th")
"""Languages written without spaces between words."""
SUBWORD_TRAINING_SENTENCES = 500_000


@runtime_checkable
class Tokenizer(Protocol):
    """`detokenize(tokenize(text))` is the text as people write it."""

    def tokenize(self, text: str) -> list[str]: ...

    def detokenize(self, tokens: Sequence[str]) -> str: ...


@dataclass(frozen=True)
class Words:
    """Moses' tokenizer; for Japanese MeCab with ipadic (as sacrebleu's scores) or KyTea."""

    language: str
    kytea_model: str = ""

    def tokenize(self, text: str) -> list[str]:
        if self.language == "ja":
            split = _kytea(self.kytea_model) if self.kytea_model else _mecab()
            return split(text.strip())
        return _moses(self.language)[0].tokenize(text.strip(), escape=False)

    def detokenize(self, tokens: Sequence[str]) -> str:
        if self.language in UNSPACED:
            # Two Latin words in a row are the only place where such text has a space.
            return re.sub(r"(?<=[A-Za-z0-9]) (?=[A-Za-z0-9])|( )", _space, " ".join(tokens))
        return _moses(self.language)[1].detokenize(list(tokens), unescape=False)


@dataclass(frozen=True)
class Characters:
    """One token a character; exact in both directions."""

    def tokenize(self, text: str) -> list[str]:
        return list(text.strip().replace(" ", SPACE))

    def detokenize(self, tokens: Sequence[str]) -> str:
        return "".join(tokens).replace(SPACE, " ").strip()


@dataclass(frozen=True)
class Subwords:
    """Byte pair encoding by sentencepiece. model: its serialized model."""

    model: bytes

    def tokenize(self, text: str) -> list[str]:
        return _sentencepiece(self.model).encode(text.strip(), out_type=str)

    def detokenize(self, tokens: Sequence[str]) -> str:
        return _sentencepiece(self.model).decode_pieces(list(tokens))


@dataclass(frozen=True)
class Reversed:
    """Another tokenizer's tokens, the last one first (Sutskever et al. 2014)."""

    tokenizer: Tokenizer

    def tokenize(self, text: str) -> list[str]:
        return self.tokenizer.tokenize(text)[::-1]

    def detokenize(self, tokens: Sequence[str]) -> str:
        return self.tokenizer.detokenize(tokens[::-1])


def train_subwords(texts: Iterable[str], size: int, language: str) -> Subwords:
    """Learns `size` subwords (Sennrich et al. 2016); fewer where the text is too small."""
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=model,
            model_type="bpe",
            vocab_size=size,
            hard_vocab_limit=False,
            character_coverage=0.9995 if language in UNSPACED else 1.0,
            normalization_rule_name="identity",
            input_sentence_size=SUBWORD_TRAINING_SENTENCES,
            bos_id=-1,
            eos_id=-1,
            minloglevel=2,
            num_threads=2,
        )
    except RuntimeError as error:
        raise UserError(
            f"subwords could not be learnt: {error}. Choose a vocabulary size that the corpus "
            "supports (more than its letters), or --data.tokenizer character"
        ) from error
    return Subwords(model.getvalue())


def _space(match: re.Match) -> str:
    return "" if match[1] else " "


@functools.cache
def _moses(language: str) -> tuple[sacremoses.MosesTokenizer, sacremoses.MosesDetokenizer]:
    return sacremoses.MosesTokenizer(language), sacremoses.MosesDetokenizer(language)


@functools.cache
def _mecab():
    import ipadic
    import MeCab

    tagger = MeCab.Tagger(ipadic.MECAB_ARGS + " -Owakati")
    return lambda text: tagger.parse(text).split()


@functools.cache
def _kytea(model: str):
    """The `kytea` program, kept running: one line in, one line out."""
    if not shutil.which("kytea"):
        raise UserError("data.kytea_model is set, but there is no program `kytea` on the PATH")
    process = subprocess.Popen(
        ["kytea", "-model", model, "-notags", "-out", "tok"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        bufsize=1,
    )

    def split(text: str) -> list[str]:
        process.stdin.write(text + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise UserError(f"kytea stopped; is {model} a KyTea model?")
        return line.split()

    return split


@functools.lru_cache(maxsize=8)
def _sentencepiece(model: bytes) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_proto=model)
