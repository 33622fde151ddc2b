"""Text to numbers and back for one language of a run: its tokenizer and vocabulary, on disk."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fa_jax.data.tokenizers import Characters, Reversed, Subwords, Tokenizer, Words
from fa_jax.data.vocabulary import SPECIAL, Vocabulary, readable
from fa_jax.errors import UserError


@dataclass(frozen=True)
class TextCodec:
    """encode adds neither begin nor end of sentence."""

    language: str
    tokenizer: Tokenizer
    vocabulary: Vocabulary

    def encode(self, text: str) -> list[int]:
        return self.vocabulary.ids(self.tokenizer.tokenize(text))

    def decode(self, ids: Sequence[int]) -> str:
        """Text as people write it, up to the end of sentence; unknown words as `<unk>`."""
        return self.tokenizer.detokenize(self.tokens(ids))

    def tokens(self, ids: Sequence[int]) -> list[str]:
        return self.vocabulary.words(readable(ids))


def save_codec(codec: TextCodec, folder: Path, side: str):
    """Writes `SIDE.vocabulary.json` and, for subwords, `SIDE.subwords.model`."""
    tokenizer, reads = codec.tokenizer, {}
    if isinstance(tokenizer, Reversed):
        tokenizer, reads = tokenizer.tokenizer, {"reversed": True}
    match tokenizer:
        case Subwords(model):
            kind = {"tokenizer": "subword"}
            _write(folder / f"{side}.subwords.model", model)
        case Words(_, kytea_model):
            kind = {"tokenizer": "word", "kytea_model": kytea_model}
        case _:
            kind = {"tokenizer": "character"}
    content = {**kind, **reads, "language": codec.language, "tokens": codec.vocabulary.tokens}
    text = json.dumps(content, ensure_ascii=False, indent=0)
    _write(folder / f"{side}.vocabulary.json", text.encode())


def load_codec(folder: Path, side: str) -> TextCodec:
    """Reads what `save_codec` wrote; executes nothing.

    Raises:
      UserError: a file is missing or damaged.
    """
    path = folder / f"{side}.vocabulary.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        language, tokens = content["language"], tuple(content["tokens"])
        if tokens[: len(SPECIAL)] != SPECIAL:
            raise ValueError(f"it must begin with {', '.join(SPECIAL)}")
        match content["tokenizer"]:
            case "subword":
                tokenizer = Subwords((folder / f"{side}.subwords.model").read_bytes())
                tokenizer.tokenize("")
            case "word":
                tokenizer = Words(language, content["kytea_model"])
            case "character":
                tokenizer = Characters()
            case kind:
                raise ValueError(f"unknown tokenizer {kind!r}")
        if content.get("reversed"):
            tokenizer = Reversed(tokenizer)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise UserError(f"vocabulary {path} cannot be read: {error}") from error
    return TextCodec(language, tokenizer, Vocabulary(tokens))


def _write(path: Path, content: bytes):
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(content)
    os.replace(beside, path)
