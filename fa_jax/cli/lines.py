"""Lines of text as they arrive: with the command, or on stdin."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, count, groupby

from fa_jax.data.given import checked_lines
from fa_jax.errors import UserError
from fa_jax.terminal import say

LINES_AT_ONCE = 1024
"""Read before their translations are written."""
BYTES_AT_ONCE = 2**20
ENDS = 2
"""Tokens without a letter of their own: a space before the line, an end behind it."""
LONG_LINE = 1000
"""Letters, some 200 words: hardly one sentence."""


def arrived(given: Sequence[str]) -> Iterator[list[str]]:
    """Lines as they come: of a file many at once, of somebody who types each by itself.

    given: with the command; without any, those of stdin.

    Raises:
      UserError: a line is not UTF-8.
    """
    numbers = count(1)
    lines_given = "\n".join(checked_lines(given)).encode().split(b"\n")
    for lines in [lines_given] if given else _stdin_lines():
        for start in range(0, len(lines), LINES_AT_ONCE):
            chunk = lines[start : start + LINES_AT_ONCE]
            each = zip(chunk, numbers, strict=False)
            yield [_decoded(number, raw).rstrip("\r") for raw, number in each]


def page_of(given: Sequence[str]) -> str:
    """All of what is given with the command, or of stdin, letter by letter. Raises UserError where
    it is not UTF-8."""
    lines = () if given else b"".join(bytes_arrived()).split(b"\n")
    return "\n".join([*checked_lines(given), *map(_decoded, count(1), lines)])


def bytes_on_stdin() -> int:
    """Of the file that it is; 0 of what is no file."""
    with suppress(OSError):
        return os.fstat(sys.stdin.buffer.fileno()).st_size
    return 0


def told_of_long(
    chunks: Iterable[list[str]], tokens: Callable[[str], int], longest: int, documents: bool
) -> Iterator[list[str]]:
    """Lines as they come. Says which are longer than what is translated of them; and of documents'
    lines the first that is too long to be a sentence.

    tokens: of what a line has to be read at once, of which at most so many are.
    """
    numbers, told = count(1), not documents
    for lines in chunks:
        for line, number in zip(lines, numbers, strict=False):
            # Hardly a line has more tokens than letters, so most need no tokenizing here.
            if len(line) + ENDS > longest and (length := tokens(line)) > longest:
                say(
                    f"fa-jax: line {number}: a sentence has {length:,} tokens; its first "
                    f"{longest:,} are translated (--decoding.max-source-length)"
                )
            if len(line) > LONG_LINE and not told:
                told = True
                say(
                    f"fa-jax: line {number} has {len(line):,} letters and is searched as one "
                    "sentence, which may end too soon. Documents are written line by line: give "
                    "one sentence a line, and an empty line behind a document"
                )
        yield lines


def documents_of(chunks: Iterable[list[str]]) -> Iterator[list[str]]:
    """Whole documents, many at once. An empty line, or several, ends one; the next one begins with
    it."""
    texts, number, first = [], 0, True
    for said, lines in groupby(chain.from_iterable(chunks), lambda line: bool(line.strip())):
        if said:
            document = [*lines]
            texts.append("\n".join(document if first else ["", *document]))
            first, number = False, number + len(document)
        if number >= LINES_AT_ONCE:
            yield texts
            texts, number = [], 0
    if texts:
        yield texts


def bytes_of(texts: Sequence[str]) -> int:
    """Of a file that they are written to."""
    return sum(len(text.encode()) + 1 for text in texts)


def part_of(
    chunks: Iterable[list[str]], part: tuple[int, int], texts_of: Callable
) -> Iterator[list[str]]:
    """One of several parts of a file on stdin, each of as many texts: lines, or documents.

    chunks: of all of it. part: its number, from 1, and that of parts. texts_of: what makes texts of
    lines, which are read twice.

    Raises:
      UserError: no such part, or stdin is no file.
    """
    number, parts = part
    if not 1 <= number <= parts:
        raise UserError(f"--part {number} {parts}: parts have numbers from 1 to {parts}")
    if not bytes_on_stdin():
        raise UserError(f"--part is of a file: fa-jax translate RUN --part {number} {parts} < FILE")
    total = sum(map(len, texts_of(arrived(()))))
    sys.stdin.buffer.seek(0)
    first, last = (total * end // parts for end in (number - 1, number))
    for texts in chunks:
        if last <= 0:
            return
        if kept := texts[max(0, first) : last]:
            yield kept
        first, last = first - len(texts), last - len(texts)


def behind(lines: int, chunks: Iterator[list[str]]) -> tuple[int, int, Iterable[list[str]]]:
    """The texts behind so many lines.

    Returns:
      The bytes of the texts before them, lines that the first of them has before, and the texts.
    """
    passed = 0
    for texts in chunks:
        for place, text in enumerate(texts):
            if text.count("\n") >= lines:
                return passed, lines, chain([texts[place:]], chunks)
            lines -= text.count("\n") + 1
            passed += bytes_of([text])
    return passed, 0, []


def bytes_arrived() -> Iterator[bytes]:
    """Of stdin, as much as is there to be read."""
    return iter(lambda: sys.stdin.buffer.read1(BYTES_AT_ONCE), b"")


def _stdin_lines() -> Iterator[list[bytes]]:
    """Whole lines, as many as are there to be read, at least one."""
    rest = b""
    for read in bytes_arrived():
        *lines, rest = (rest + read).split(b"\n")
        if lines:
            yield lines
    if rest:
        yield [rest]


def _decoded(number: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        place = f"stdin, line {number}: not UTF-8 (byte {error.start + 1} of the line)"
        raise UserError(f"{place}. Convert the text to UTF-8") from None
