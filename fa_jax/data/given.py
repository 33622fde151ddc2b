"""Lines and pairs as a caller gives them from Python."""

from collections.abc import Iterable

from fa_jax.errors import UserError


def checked_pairs(pairs: object) -> list[tuple[str, str]]:
    """Source and target texts.

    Raises:
      UserError: a pair is not two texts.
    """
    if isinstance(pairs, str | bytes) or not isinstance(pairs, Iterable):
        raise UserError(f"pairs must be a list of pairs of texts, got {pairs!r:.80}")
    checked = []
    for number, pair in enumerate(pairs, start=1):
        source, *target = checked_lines(pair, f"pair {number}, text") or [""]
        if len(target) != 1:
            raise UserError(f"pair {number} must be two texts, source and target, got {pair!r:.80}")
        checked.append((source, *target))
    return checked


def checked_lines(lines: object, name: str = "line") -> list[str]:
    """The lines. name: what each of them is, for messages.

    Raises:
      UserError: they are one text alone, or one of them is no text, or one that UTF-8 cannot write.
    """
    if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
        wanted = 'a list of texts, such as ["I like cats."]'
        raise UserError(f"{name}s must be {wanted}, got {lines!r:.80}")
    lines = list(lines)
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            raise UserError(f"{name} {number} must be a text, got {line!r:.80}")
        try:
            line.encode()
        except UnicodeEncodeError as error:
            place, half = error.start + 1, ord(line[error.start])
            what = f"half a letter (U+{half:04X})"
            if 0xDC80 <= half <= 0xDCFF:  # so Python hands on what a shell gave it
                what = f"the byte 0x{half - 0xDC00:02X}"
            raise UserError(f"{name} {number} is no UTF-8: character {place} is {what}") from None
    return lines
