"""Words as tokens."""

import functools
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from subprocess import PIPE, Popen

from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES
from fa_jax.errors import UserError


@dataclass(frozen=True)
class Words:
    """Moses' tokenizer; for Japanese MeCab with ipadic (as sacrebleu's scores) or KyTea.

    kytea_model: path of a KyTea model.
    """

    language: str
    kytea_model: str = ""

    @classmethod
    def learn(cls, texts: Iterable[str], language: str, size: int, settings: dict) -> "Words":
        return cls(language, settings["kytea_model"] if language == "ja" else "")

    def tokenize(self, text: str) -> list[str]:
        if self.language == "ja":
            split = _kytea(self.kytea_model) if self.kytea_model else _mecab()
            return split(text.strip())
        return _moses(self.language)[0].tokenize(text.strip(), escape=False)

    def detokenize(self, tokens: Sequence[str]) -> str:
        if self.language in WRITTEN_WITHOUT_SPACES:
            # Two Latin words in a row are the only place where such text has a space.
            return re.sub(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])", "", " ".join(tokens))
        return _moses(self.language)[1].detokenize(list(tokens), unescape=False)


@functools.cache
def _moses(language: str):
    import sacremoses

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
    command = ["kytea", "-model", model, "-notags", "-out", "tok"]
    process = Popen(command, stdin=PIPE, stdout=PIPE, encoding="utf-8", bufsize=1)

    def split(text: str) -> list[str]:
        process.stdin.write(text + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise UserError(f"kytea stopped; is {model} a KyTea model?")
        return line.split()

    return split
