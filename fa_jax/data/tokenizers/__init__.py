"""Text to tokens and back. A tokenizer is a file of this folder and a row of `TOKENIZERS`.

Texts come as `read` makes them. Nothing else is normalised away: scores are computed on text as
people write it.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from fa_jax.data.tokenizers.characters import Characters
from fa_jax.data.tokenizers.split import Split
from fa_jax.data.tokenizers.subwords import Subwords
from fa_jax.data.tokenizers.tokenizer import Tokenizer
from fa_jax.data.tokenizers.words import Words

TOKENIZERS = {"word": Words, "character": Characters, "subword": Subwords, "split": Split}
"""What `data.tokenizer` may be: frozen dataclasses that are a `Tokenizer`. A run keeps the fields'
values: bytes in `SIDE.NAMEs.FIELD`, all else, with the codec's `language`, in
`SIDE.vocabulary.json`."""


def saved_tokenizer(tokenizer: Tokenizer) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What a run keeps of a tokenizer: settings for JSON, and files by the ends of their names."""
    name = next(name for name, kind in TOKENIZERS.items() if kind is type(tokenizer))
    values = {field.name: getattr(tokenizer, field.name) for field in fields(tokenizer)}
    files = {f"{name}s.{k}": v for k, v in values.items() if isinstance(v, bytes)}
    settings = {k: v for k, v in values.items() if not isinstance(v, bytes)}
    return {"tokenizer": name, **settings}, files


def read_tokenizer(settings: dict[str, Any], read: Callable[[str], bytes]) -> Tokenizer:
    """The tokenizer of which `saved_tokenizer` gave these settings, or more.

    Args:
      read: a file's content by the end of its name.

    Raises:
      ValueError, KeyError, TypeError, OSError, RuntimeError: settings or a file are not as saved.
    """
    name = settings["tokenizer"]
    if name not in TOKENIZERS:
        raise ValueError(f"unknown tokenizer {name!r}")
    values = {
        field.name: read(f"{name}s.{field.name}") if field.type is bytes else settings[field.name]
        for field in fields(TOKENIZERS[name])
    }
    return TOKENIZERS[name](**values)
