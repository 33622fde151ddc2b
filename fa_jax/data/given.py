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
        source, *target = checked_lines(pair, f"pair {number}") or [""]
        if len(target) != 1:
            raise UserError(f"pair {number} must be two texts, source and target, got {pair!r:.80}")
        checked.append((source, *target))
    return checked


def checked_lines(lines: object, name: str = "lines") -> list[str]:
    """The lines. name: what they are, for messages.

    Raises:
      UserError: they are one text alone, or one of them is no text, or one that UTF-8 cannot write.
    """
    if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
        raise UserError(
            f'{name} must be a list of texts, such as ["I like cats."], got {lines!r:.80}'
        )
    lines = list(lines)
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            raise UserError(f"{name}: number {number} must be a text, got {line!r:.80}")
        try:
            line.encode()
        except UnicodeEncodeError as error:
            raise UserError(
                f"{name}: character {error.start + 1} of number {number} is half a letter "
                f"(U+{ord(line[error.start]):04X}), which is no UTF-8"
            ) from None
    return lines
