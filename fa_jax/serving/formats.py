"""Kinds of files that hold text, each a function: it gives the texts to `translate`, and returns
the file with what it gets. All else of a file stays."""

import io
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any
from zipfile import ZipFile

import docx
import polib
from docx.parts.story import StoryPart

from fa_jax.data.markup import pieces
from fa_jax.errors import UserError

GAPS = ("br", "tab")
"""What is a space between the texts of a paragraph, in a word processor's file."""
CUES = re.compile(
    r"(^[ \t\d:.,]+-->.*\n(?:\{\\[^}\n]*\})*)((?s:.*?\S)??)"
    r"(?=\s*(?:\Z|\n\nNOTE\b|\n(?:.*\n)?[ \t\d:.,]+-->))",
    re.M,
)
"""Subtitles of SubRip and WebVTT: times and place on the screen, then a text."""
DIALOGUES = re.compile(r"(^Dialogue:(?:[^,\n]*,){9}(?!.*\\p[1-9])(?:\{[^}\n]*\})*)(.*)", re.M)
"""Those of SubStation Alpha: nine fields, place and style, then a text that is no drawing (\\p)."""
LINE_BREAK = re.compile(r"\\[Nnh]")
STYLES = re.compile(r"</?(?:[a-zA-Z]|\d\d:)[^<>]*>|\{\\[^{}\n]*\}")
PLURALS = re.compile(r"nplurals *= *(\d)")
Translate = Callable[[list[str]], Sequence[str]]
Format = Callable[[bytes, Translate], bytes]
UNPACKED = 50_000_000
"""Bytes of a packed file, at most."""


def plain(file: bytes, translate: Translate) -> bytes:
    return "\n".join(translate(_text(file).split("\n"))).encode()


def html(file: bytes, translate: Translate) -> bytes:
    """Each text with the tags inside it."""
    page = pieces(file.decode("utf-8-sig"))
    page[1::2] = translate(page[1::2])
    return "".join(page).encode()


def subtitles(kind: re.Pattern[str], file: bytes, translate: Translate) -> bytes:
    """The lines of a subtitle become one. kind: `CUES` or `DIALOGUES`."""
    parts = kind.split(_text(file))
    if not parts[1:]:
        raise ValueError("it has no subtitles")
    texts = (STYLES.sub("", LINE_BREAK.sub(" ", text)) for text in parts[2::3])
    parts[2::3] = translate([*map(_in_a_line, texts)])
    return "".join(parts).encode()


def word(file: bytes, translate: Translate) -> bytes:
    """Paragraph by paragraph, each in the font that it begins with."""
    with ZipFile(io.BytesIO(file)) as packed:
        if sum(part.file_size for part in packed.infolist()) > UNPACKED:
            raise ValueError("it is too large when it is unpacked")
    document = docx.Document(io.BytesIO(file))
    kinds = " | ".join(f"//w:r/w:{name}" for name in ("t", *GAPS))
    stories = [p for p in document.part.package.iter_parts() if isinstance(p, StoryPart)]
    paragraphs: dict[Any, list[Any]] = {}
    for piece in (piece for story in stories for piece in story.element.xpath(kinds)):
        paragraphs.setdefault(piece.xpath("ancestor::w:p[1]")[0], []).append(piece)
    texts = [
        "".join(piece.text or " " * piece.tag.endswith(GAPS) for piece in paragraph)
        for paragraph in paragraphs.values()
    ]
    for paragraph, translation in zip(paragraphs.values(), translate(texts), strict=True):
        for n, piece in enumerate(p for p in paragraph if not p.tag.endswith(GAPS)):
            piece.text = "" if n else translation
    document.save(written := io.BytesIO())
    return written.getvalue()


def gettext(file: bytes, translate: Translate) -> bytes:
    """Messages that have no translation yet; all plurals alike. They are marked as fuzzy: somebody
    has to look at them."""
    catalog = polib.pofile("\n" + _text(file))  # with a line end it is never read as a path
    new = [one for one in catalog if not one.obsolete and not _is_translated(one)]
    texts = [text for one in new for text in (one.msgid, one.msgid_plural) if text]
    paragraphs = [text.strip().split("\n\n") for text in texts]
    found = iter(translate([*map(_in_a_line, chain(*paragraphs))]))
    written = {
        text: text.replace(text.strip(), "\n\n".join(next(found) for _ in parts))
        for text, parts in zip(texts, paragraphs, strict=True)
    }
    count = int(said[1]) if (said := PLURALS.search(str(catalog.metadata))) else 2
    for message in new:
        one, many = written[message.msgid], written.get(message.msgid_plural)
        if many is None:
            message.msgstr = one
        else:
            forms = [one, *[many] * (count - 1)] if count > 1 else [many]
            message.msgstr_plural = dict(enumerate(forms))
        message.flags.append("fuzzy")
    return str(catalog).removeprefix("#\n").encode()  # its comment where a file begins with none


def _is_translated(message: polib.POEntry) -> bool:
    return bool(message.msgstr) or any(message.msgstr_plural.values())


FORMATS: dict[str, Format] = {".txt": plain, ".html": html, ".docx": word, ".po": gettext}
FORMATS |= dict.fromkeys((".srt", ".vtt"), partial(subtitles, CUES))
FORMATS[".ass"] = partial(subtitles, DIALOGUES)
"""By the ends of files' names."""


def texts_in(read: Format, file: bytes) -> list[str]:
    """Raises UserError where the file is not what `read` reads."""
    texts = []
    try:
        read(file, lambda found: texts.extend(found) or found)
    except UnicodeDecodeError as error:
        raise UserError(f"byte {error.start + 1} is not UTF-8: convert the text to it") from None
    except Exception as error:  # each library has its own
        raise UserError(f"damaged, or of another kind: {error}") from None
    return texts


def _text(file: bytes) -> str:
    return file.decode("utf-8-sig").replace("\r\n", "\n")


def _in_a_line(text: str) -> str:
    return " ".join(text.split())
