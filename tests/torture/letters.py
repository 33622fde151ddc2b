"""Texts as nobody writes them: every plane of Unicode, what cannot be seen, our own marks."""

from hypothesis import strategies as st

from fa_jax.data.vocabulary import SPECIAL

SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
UNSEEN = "\0\x01\x7f\xad\u034f\u061c\u115f\u200b\u200c\u200d\u200e\u202e\u2060\u2066\ufe0f\ufeff"
MARKS = ("▁", "@@", "⁇", "&quot;", "@-@", "<b>", *SPECIAL)
WORDS = ("I", "like", "cats", ".", "O'Brien", "3.14", "猫が", "Straße", "e\u0301", "ﬁ", "가", "é")

planes = st.integers(0, 16).flatmap(
    lambda plane: st.characters(
        min_codepoint=plane << 16, max_codepoint=(plane << 16) + 0xFFFF, exclude_categories=["Cs"]
    )
)
lines = st.lists(
    st.sampled_from(WORDS)
    | st.sampled_from([" "])
    | st.sampled_from([*SPACES.replace("\n", ""), *UNSEEN])
    | st.sampled_from(MARKS)
    | planes.filter(lambda letter: letter != "\n"),
    max_size=12,
).map("".join)
"""One line each."""
