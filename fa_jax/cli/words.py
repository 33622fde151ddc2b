"""Words as they arrive, of somebody who still speaks: with the command, or on stdin."""

import codecs
import re
from collections.abc import Iterator, Sequence

from fa_jax.cli.lines import bytes_arrived
from fa_jax.data.given import checked_lines
from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES
from fa_jax.errors import UserError


def arrived_words(given: Sequence[str], language: str) -> Iterator[tuple[str, bool]]:
    """Words, or letters in a language without spaces, and whether a line ends with each. If a line
    ends later than its last word, an empty one follows.

    given: lines with the command; without any, those of stdin.

    Raises:
      UserError: stdin is not UTF-8.
    """
    word = r"[^\n]" if language in WRITTEN_WITHOUT_SPACES else r"\S+(?=\s)"
    arrived, rest, last = re.compile(rf"[^\S\n]*(?:({word})[^\S\n]*(\n?)|(\n))"), "", True
    for text in [f"{line}\n" for line in checked_lines(given)] if given else _stdin():
        rest += text
        while found := arrived.match(rest):
            last, rest = found[0].endswith("\n"), rest[found.end() :]
            yield found[1] or "", last
    if rest.strip() or not last:
        yield rest.strip(), True


def _stdin() -> Iterator[str]:
    """As much as is there to be read."""
    try:
        yield from codecs.iterdecode(bytes_arrived(), "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"stdin is not UTF-8: {error.reason}. Convert it to UTF-8") from None
