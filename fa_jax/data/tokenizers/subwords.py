"""Subwords as tokens."""

import functools
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sentencepiece

from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES
from fa_jax.errors import UserError

TRAINING_SENTENCES = 500_000
"""Read at most; drawn from all."""


@dataclass(frozen=True)
class Subwords:
    """Byte pair encoding (Sennrich et al. 2016) by sentencepiece. model: its serialized model."""

    model: bytes

    def __post_init__(self):
        _sentencepiece(self.model)  # a damaged model fails here

    @classmethod
    def learn(cls, texts: Iterable[str], language: str, size: int, settings: dict) -> "Subwords":
        """Fewer subwords than asked for where the text is too small."""
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(texts),
                model_writer=model,
                model_type="bpe",
                # sentencepiece counts its own unknown; our other three special tokens do not.
                vocab_size=size - 3,
                hard_vocab_limit=False,
                character_coverage=0.9995 if language in WRITTEN_WITHOUT_SPACES else 1.0,
                normalization_rule_name="identity",
                input_sentence_size=TRAINING_SENTENCES,
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
        return cls(model.getvalue())

    def tokenize(self, text: str) -> list[str]:
        return _sentencepiece(self.model).encode(text.strip(), out_type=str)

    def detokenize(self, tokens: Sequence[str]) -> str:
        return _sentencepiece(self.model).decode_pieces(list(tokens))


@functools.lru_cache(maxsize=8)
def _sentencepiece(model: bytes) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_proto=model)
