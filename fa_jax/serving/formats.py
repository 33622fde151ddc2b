"""Kinds of files that hold text, each a function: it gives the texts to `translate`, and returns
the file with what it gets."""

import io
from collections.abc import Callable, Sequence
from zipfile import ZipFile

import docx
import pysubs2
from babel.messages.pofile import read_po, write_po

from fa_jax.data.markup import pieces
from fa_jax.errors import UserError

GAPS = ("br", "tab")
"""What is a space between the texts of a paragraph, in a word processor's file."""
Translate = Callable[[list[str]], Sequence[str]]
Format = Callable[[bytes, Translate], bytes]
UNPACKED = 50_000_000
"""Bytes of a packed file, at most."""


def plain(file: bytes, translate: Translate) -> bytes:
    lines = file.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    return "\n".join(translate(lines)).encode()


def html(file: bytes, translate: Translate) -> bytes:
    """Each text with the tags inside it."""
    page = pieces(file.decode("utf-8-sig"))
    page[1::2] = translate(page[1::2])
    return "".join(page).encode()


def subtitles(file: bytes, translate: Translate) -> bytes:
    """SubRip, WebVTT or SubStation Alpha. The lines of a subtitle become one."""
    read = pysubs2.SSAFile.from_string(file.decode("utf-8-sig"))
    found = translate([" ".join(event.plaintext.split()) for event in read])
    for event, translation in zip(read, found, strict=True):
        event.plaintext = translation
    return read.to_string(read.format).encode()


def word(file: bytes, translate: Translate) -> bytes:
    """Paragraph by paragraph, each in the font that it begins with."""
    with ZipFile(io.BytesIO(file)) as packed:
        if sum(part.file_size for part in packed.infolist()) > UNPACKED:
            raise ValueError("it is too large when it is unpacked")
    document = docx.Document(io.BytesIO(file))
    parts = [f"{at}w:{name}" for at in ("w:r/", "w:hyperlink/w:r/") for name in ("t", *GAPS)]
    paragraphs = [p.xpath(" | ".join(parts)) for p in document.element.xpath("//w:p")]
    found = translate(
        ["".join(piece.text or " " * piece.tag.endswith(GAPS) for piece in p) for p in paragraphs]
    )
    for paragraph, translation in zip(paragraphs, found, strict=True):
        for n, piece in enumerate(p for p in paragraph if not p.tag.endswith(GAPS)):
            piece.text = "" if n else translation
    document.save(written := io.BytesIO())
    return written.getvalue()


def gettext(file: bytes, translate: Translate) -> bytes:
    """Messages that have no translation yet; all plurals alike. They are marked as fuzzy: somebody
    has to look at them."""
    catalog = read_po(io.BytesIO(file))
    count = catalog.num_plurals
    new = [one for one in catalog if one.id and not any(one.string)]
    forms = [(one.id,) if isinstance(one.id, str) else one.id for one in new]
    found = iter(translate([" ".join(text.split()) for of_one in forms for text in of_one]))
    for message, of_one in zip(new, forms, strict=True):
        texts = [next(found) + "\n" * text.endswith("\n") for text in of_one]
        plurals = [*texts[: count - 1], *[texts[-1]] * count][:count]
        message.string = tuple(plurals) if message.pluralizable else texts[0]
        message.flags.add("fuzzy")
    write_po(written := io.BytesIO(), catalog)
    return written.getvalue()


FORMATS: dict[str, Format] = {".txt": plain, ".html": html, ".docx": word, ".po": gettext}
FORMATS |= dict.fromkeys((".srt", ".vtt", ".ass"), subtitles)
"""By the ends of files' names."""


def texts_in(read: Format, file: bytes) -> list[str]:
    """Raises UserError where the file is not what `read` reads."""
    texts = []
    try:
        read(file, lambda found: texts.extend(found) or found)
    except Exception as error:  # each library has its own
        raise UserError(f"damaged, or of another kind: {error}") from None
    return texts
