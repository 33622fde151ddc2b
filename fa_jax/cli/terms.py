"""Files of what translations must have: glossaries and prefixes."""

from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from fa_jax.errors import UserError


def glossary_in(path: Path) -> dict[str, str]:
    """A phrase and its translation a line, with a tab between. Empty lines are passed over.

    Raises:
      UserError: it cannot be read, or a line is something else.
    """
    glossary = {}
    for number, line in zip(count(1), _lines(path)):
        phrase, *rest = (cell.strip() for cell in line.split("\t"))
        if not line.strip():
            continue
        if len(rest) != 1 or not phrase or not rest[0]:
            raise UserError(
                f"{path}, line {number}: not a phrase, a tab and its translation, but {line!r:.60}"
            )
        if glossary.setdefault(phrase, rest[0]) != rest[0]:
            raise UserError(f"{path}, line {number}: {phrase!r} has another translation above")
    return glossary


class Prefixes:
    """A file with a prefix for each line that is translated, which may be empty. done: the first
    lines have their translations already."""

    def __init__(self, path: Path, done: int):
        self._path, self._rest = path, islice(_lines(path), done, None)

    def next(self, lines: Sequence[str]) -> list[str]:
        """Those of the next lines. Raises UserError where the file has fewer."""
        found = [*islice(self._rest, len(lines))]
        if len(found) < len(lines):
            raise UserError(f"{self._path} has fewer lines than there are to translate")
        return found

    def check_end(self):
        """Raises UserError where the file has more lines than were translated."""
        if [*self._rest]:
            raise UserError(f"{self._path} has more lines than there were to translate")


def _lines(path: Path) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}: not UTF-8. Convert the text to UTF-8") from None
    yield from text.removesuffix("\n").split("\n") if text else ()
