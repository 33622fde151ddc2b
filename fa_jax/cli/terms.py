"""Files of what translations must have: glossaries and prefixes."""

from pathlib import Path

from fa_jax.errors import UserError


def glossary_in(path: Path) -> dict[str, str]:
    """A phrase and its translation a line, with a tab between. Empty lines are passed over.

    Raises:
      UserError: it cannot be read, or a line is something else.
    """
    glossary = {}
    for number, line in enumerate(lines_of(path), start=1):
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


def lines_of(path: Path) -> list[str]:
    """Raises UserError where it cannot be read, or is not UTF-8."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}: not UTF-8. Convert the text to UTF-8") from None
    return text.removesuffix("\n").split("\n") if text else []
