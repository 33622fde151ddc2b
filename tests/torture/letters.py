"""Texts as nobody writes them: every plane of Unicode, what cannot be seen, our own marks."""

from random import Random

from hypothesis import strategies as st

from fa_jax.data.vocabulary import SPECIAL

SPACES = "\t\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
UNSEEN = "\0\x01\x7f\xad\u034f\u061c\u115f\u200b\u200c\u200d\u200e\u202e\u2060\u2066\ufe0f\ufeff"
MARKS = ("▁", "@@", "⁇", "&quot;", "@-@", "<b>", *SPECIAL)
WORDS = ("I", "like", "cats", ".", "O'Brien", "3.14", "猫が", "Straße", "e\u0301", "ﬁ", "가", "é")
KINDS = WORDS, " ", SPACES + UNSEEN, MARKS
LINE_END, SURROGATES = ord("\n"), range(0xD800, 0xE000)


def letter(random: Random) -> str:
    """Of any plane; among the first ones half of the time."""
    plane = random.choice([0, 0, 0, 0, 0, 0, 0, 0, *range(17)])
    number = (plane << 16) + random.choice([random.randrange(1 << 16), random.randrange(0x500)])
    return " " if number == LINE_END or number in SURROGATES else chr(number)


def part(random: Random) -> str:
    """A word, a space, a white space or what is not seen, a mark of ours, or any letter."""
    return random.choice(random.choice(KINDS)) if random.random() < 0.8 else letter(random)


def line(random: Random) -> str:
    """Of up to twelve parts."""
    return "".join(part(random) for _ in range(random.randrange(13)))


seeds = st.integers(0, 2**64 - 1)
# Hypothesis itself would take a hundred times as long to draw one letter after the other.
lines = seeds.map(Random).map(line)
"""One line each."""


def some_lines(count: int) -> st.SearchStrategy[list[str]]:
    """So many lines."""
    return seeds.map(Random).map(lambda random: [line(random) for _ in range(count)])
