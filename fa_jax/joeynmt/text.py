"""JoeyNMT's vocabularies and tokenizers as ours, and what of a text it does itself."""

from pathlib import Path
from typing import Any, NamedTuple

import sentencepiece

from fa_jax.data.codec import TextCodec
from fa_jax.data.tokenizers import Characters, Ended, Split, Subwords, Tokenizer
from fa_jax.data.vocabulary import SPECIAL, Vocabulary
from fa_jax.errors import UserError

KEYS = {"source": "src", "target": "trg"}
SYMBOLS = {"pad": 1, "bos": 2, "eos": 3, "unk": 0}
"""Special words in our order, with JoeyNMT's own numbers where its config has none."""
Json = dict[str, Any]


class Text(NamedTuple):
    """A language of a run. order: the number that each word of ours has in JoeyNMT's vocabulary.
    notes: what is different, a sentence each."""

    codec: TextCodec
    order: list[int]
    notes: list[str]


def read_text(data: Json, side: str, folder: Path) -> Text:
    """A language's vocabulary and tokenizer.

    Args:
      data: the section `data` of JoeyNMT's config. side: source or target. folder: JoeyNMT's.

    Raises:
      UserError: a file is missing, or it cannot be had here.
    """
    settings = data[KEYS[side]]
    symbols = data.get("special_symbols") or {}
    if symbols.get("lang_tags"):
        raise UserError("its text has language tags (special_symbols), which fa_jax does not read")
    path = folder / f"{KEYS[side]}_vocab.txt"
    try:
        words = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UserError(f"JoeyNMT's vocabulary {path} cannot be read: {error}") from error
    words = words[:-1] if words[-1] == "" else words
    first = [symbols.get(f"{name}_id", number) for name, number in SYMBOLS.items()]
    order = [*first, *(number for number in range(len(words)) if number not in first)]
    tokens = (*SPECIAL, *(words[number] for number in order[len(first) :]))
    if len({*tokens}) < len(tokens):
        raise UserError(f"{path} has a word twice, or one of {', '.join(SPECIAL)} as a word")
    tokenizer, notes = _tokenizer(settings, folder, words)
    if side == "source":  # JoeyNMT's encoder reads the end of sentence
        tokenizer = Ended(tokenizer)
    codec = TextCodec(settings["lang"], tokenizer, Vocabulary(tokens))
    return Text(codec, order, [f"{side}: {note}" for note in notes])


def _tokenizer(settings: Json, folder: Path, words: list[str]) -> tuple[Tokenizer, list[str]]:
    """The tokenizer, and what JoeyNMT does to a text beside it."""
    own = settings.get("tokenizer_cfg") or {}
    level = settings.get("level", "word")
    moses = own.get("pretokenizer", "none") == "moses"
    notes = [text for name, text in BEFORE.items() if settings.get(name)]
    if level == "bpe" and settings.get("tokenizer_type", "sentencepiece") == "sentencepiece":
        model = _subwords(folder, own)
        pieces = sentencepiece.SentencePieceProcessor(model_proto=model.model)
        if any(pieces.id_to_piece(n) not in words for n in range(3, pieces.get_piece_size())):
            notes.append(
                "its vocabulary lacks some of sentencepiece's subwords; JoeyNMT splits those "
                "further, fa_jax reads them as unknown words"
            )
        return model, notes + ([MOSES] if moses else [])
    if level == "char":
        return Characters(), notes + ([MOSES] if moses else [])
    if level not in ("word", "bpe"):
        raise UserError(f"its text has the unit {level!r}; known are word, char and bpe")
    program = "subword-nmt" if level == "bpe" else ""
    programs = " and ".join(filter(None, ("Moses' tokenizer" if moses else "", program)))
    if programs:
        notes.append(f"give lines as {programs} split them, tokens with spaces between them")
    return Split(), notes


BEFORE = {
    "lowercase": "JoeyNMT makes letters small; give such lines",
    "normalize": "JoeyNMT normalizes characters and spaces; give such lines",
}
MOSES = "JoeyNMT runs Moses' tokenizer first; give lines as it splits them"


def _subwords(folder: Path, settings: Json) -> Subwords:
    """JoeyNMT copies the model into its folder."""
    given = Path(settings.get("model_file", ""))
    for path in (folder / given.name, given):
        if path.is_file():
            try:
                return Subwords(path.read_bytes())
            except (OSError, RuntimeError) as error:
                raise UserError(f"sentencepiece's model {path} cannot be read: {error}") from error
    raise UserError(f"sentencepiece's model {folder / given.name} is not there")
