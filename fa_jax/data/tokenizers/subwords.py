"""Subwords as tokens."""

import functools
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
import sentencepiece

from fa_jax.data.tokenizers.tokenizer import SPACE, WRITTEN_WITHOUT_SPACES
from fa_jax.data.tokenizers.words import Words
from fa_jax.errors import UserError

TRAINING_SENTENCES = 500_000
"""Read at most, evenly spaced."""
COVERED = 0.9995
"""Of what is written in a language with thousands of letters; its rarest ones are unknown words."""

LEAST_COVERED = 0.98
"""That sentencepiece allows."""
BORDER = "\t"
"""Between the words that subwords are learnt from; no space, which is part of a subword."""


@dataclass(frozen=True)
class Subwords:
    """Byte pair encoding (Sennrich et al. 2016) by sentencepiece. model: its serialized model."""

    model: bytes

    def __post_init__(self):
        if not self.model:  # sentencepiece waits for another
            raise ValueError("the model of its subwords is empty")
        _sentencepiece(self.model)  # a damaged model fails here

    @classmethod
    def learn(cls, texts: Sequence[str], language: str, size: int) -> "Subwords":
        """Fewer subwords than asked for where the text is too small. At most three quarters
        of them are single letters where that leaves little unknown. Japanese shows no borders of
        words, so its subwords are learnt from the words of `Words`, and none is longer than one."""
        model = io.BytesIO()
        letters = _letter_shares(texts)
        coverage = min(_wanted(language), max(LEAST_COVERED, letters[: size * 3 // 4].sum()))
        texts = islice(texts, 0, None, -(-len(texts) // TRAINING_SENTENCES) or 1)
        if language == "ja":
            words = Words(language)
            texts = map(functools.partial(_bordered, words), texts)
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=(text.replace(SPACE, "_") for text in texts),
                model_writer=model,
                model_type="bpe",
                # sentencepiece counts its own unknown; our other three special tokens do not.
                vocab_size=size - 3,
                hard_vocab_limit=False,
                pretokenization_delimiter=BORDER,
                character_coverage=coverage,
                max_sentence_length=2**30,  # bytes; it would leave out lines of more than 4,192
                normalization_rule_name="identity",
                bos_id=-1,
                eos_id=-1,
                minloglevel=2,
                num_threads=2,
            )
        except RuntimeError as error:
            raise UserError(
                f"subwords could not be learnt: {error}. Choose a vocabulary size that the corpus "
                "supports (more than its letters), or data.tokenizer character"
            ) from error
        return cls(model.getvalue())

    def tokenize(self, text: str) -> list[str]:
        # A block that a text holds is no space.
        return _sentencepiece(self.model).encode(text.strip().replace(SPACE, "_"), out_type=str)

    def detokenize(self, tokens: Sequence[str]) -> str:
        return _sentencepiece(self.model).decode_pieces(list(tokens))


def _bordered(words: Words, text: str) -> str:
    """A text with a border between two words that no space divides."""
    return " ".join(BORDER.join(words.tokenize(part)) for part in text.split(" "))


def letters_to_learn(texts: Iterable[str], language: str) -> int:
    """So many single letters a vocabulary of subwords has to have."""
    covered = _letter_shares(texts).cumsum()
    return int(np.searchsorted(covered, _wanted(language) - 1e-9)) + 1


def _letter_shares(texts: Iterable[str]) -> np.ndarray:
    """Of each letter, the most frequent first."""
    counts = Counter(chain.from_iterable(texts))
    return np.sort(np.array([*counts.values()] or [1.0]))[::-1] / max(1, counts.total())


def _wanted(language: str) -> float:
    return COVERED if language in WRITTEN_WITHOUT_SPACES else 1.0


@functools.lru_cache(maxsize=8)
def _sentencepiece(model: bytes) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_proto=model)
