"""Words as tokens."""

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES


@dataclass(frozen=True)
class Words:
    """Moses' tokenizer, to which each Chinese character is a word; for Japanese MeCab with ipadic,
    as sacrebleu's scores."""

    language: str

    @classmethod
    def learn(cls, texts: Iterable[str], language: str, size: int) -> "Words":
        return cls(language)

    def tokenize(self, text: str) -> list[str]:
        if self.language == "ja":
            return _mecab()(text.strip())
        # Of Chinese it leaves characters together, if it is told so.
        language = "en" if self.language == "zh" else self.language
        return _moses(language)[0].tokenize(text.strip(), escape=False)

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
