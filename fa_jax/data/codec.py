"""Text to numbers and back for one language of a run: its tokenizer and vocabulary, on disk."""

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fa_jax.data.capitals import usual_case
from fa_jax.data.letters import usual_letters
from fa_jax.data.marks import usual_marks
from fa_jax.data.reading import in_one_line, read
from fa_jax.data.tokenizers import Tokenizer, read_tokenizer, saved_tokenizer
from fa_jax.data.tokenizers.tokenizer import SPACE
from fa_jax.data.vocabulary import BEGIN, END, PAD, SPECIAL, Vocabulary
from fa_jax.errors import UserError
from fa_jax.whole_files import write_bytes


@dataclass(frozen=True)
class TextCodec:
    """A language's code, and how its text becomes numbers. Equal codecs give equal numbers."""

    language: str
    tokenizer: Tokenizer
    vocabulary: Vocabulary

    def encode(self, text: str) -> list[int]:
        """Numbers of a text's tokens, without begin and end of sentence."""
        return self.vocabulary.ids(self.tokenizer.tokenize(read(text)))

    def usual(self, text: str) -> str:
        """A text to translate: as training's lines have it, in their case, too."""
        return usual_case(self.spelt(text), self.tokenizer.tokenize, self.vocabulary)

    def spelt(self, text: str) -> str:
        """A text as it is read, with the marks and the letters of training's lines."""
        known = self.vocabulary
        return usual_letters(usual_marks(read(text), known), known.plainly, known.words)

    def as_written(self, tokens: Sequence[str], text: str) -> list[str]:
        """The first tokens of `usual(text)`, with the marks and the case that the text has itself.

        Where other marks or letters are longer or shorter, they stay as usual; so do tokens that
        are not made of the text's letters.
        """
        each = read(text), self.spelt(text), self.usual(text)
        forms = [form.replace(" ", "") for form in each]
        spelt = "".join(tokens).replace(SPACE, "")
        if not forms[-1].replace(SPACE, "_").startswith(spelt):
            return [*tokens]
        letters = iter(next(form for form in forms if _alike(form, forms[-1])))
        return ["".join(c if c == SPACE else next(letters) for c in token) for token in tokens]

    def decode(self, ids: Sequence[int]) -> str:
        """Text as people write it, up to the end of sentence; unknown words as `<unk>`, subwords
        as ` ⁇ `."""
        return self.text(self.tokens(ids))

    def text(self, tokens: Sequence[str]) -> str:
        """As people write it, in one line."""
        return in_one_line(self.tokenizer.detokenize(tokens))

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Tokens up to the end of sentence, without pad and begin."""
        shown = itertools.takewhile(lambda number: number != END, ids)
        return [self.vocabulary.tokens[n] for n in shown if n not in (PAD, BEGIN)]

    @property
    def digest(self) -> str:
        """Equal of equal codecs."""
        return hashlib.sha256(repr(self.files()).encode()).hexdigest()

    def files(self) -> dict[str, bytes]:
        """All that it is: files' contents by the ends of their names, in the order to write."""
        settings, files = saved_tokenizer(self.tokenizer)
        content = {**settings, "language": self.language, "tokens": self.vocabulary.tokens}
        text = json.dumps(content, ensure_ascii=False, indent=0)
        return {**files, "vocabulary.json": text.encode()}


def _alike(text: str, other: str) -> bool:
    """Whether their letters are the same, place by place, but for their case."""
    return len(text) == len(other) and all(
        a.casefold() == b.casefold() or not (a.isalnum() and b.isalnum())
        for a, b in zip(text, other, strict=True)
    )


def save_codec(codec: TextCodec, folder: Path, side: str):
    """Writes `SIDE.vocabulary.json` and what else the tokenizer needs: `SIDE.subwords.model`."""
    for name, content in codec.files().items():
        write_bytes(folder / f"{side}.{name}", content)


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
        tokenizer = read_tokenizer(content, lambda name: (folder / f"{side}.{name}").read_bytes())
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise UserError(f"vocabulary {path} cannot be read: {error}") from error
    return TextCodec(language, tokenizer, Vocabulary(tokens))
