"""Which training pairs are learnt from: those with tokens on both sides, and not too many."""

import numpy as np
from jaxtyping import Bool, Int

SHARE = 0.99
"""Of the training pairs: the few that are longer often do not belong together."""
AT_LEAST, AT_LEAST_CHARACTERS = 50, 150
"""Tokens. Short text costs nothing more: batches are as long as their sentences."""
AT_MOST = 4
"""Times as many as at least: batches of longer ones may not fit into memory."""
Lengths = Int[np.ndarray, "2 pairs"]
"""Tokens of each side of each pair."""


def longest_learnt(lengths: Lengths, tokenizer: str) -> int:
    """Tokens of either side, where the user named no limit.

    tokenizer: what a token is (`DataConfig.tokenizer`).
    """
    at_least = AT_LEAST_CHARACTERS if tokenizer == "character" else AT_LEAST
    needed = int(np.quantile(lengths.max(0), SHARE, method="higher"))
    return min(max(needed, at_least), AT_MOST * at_least)


def learnt_from(lengths: Lengths, max_length: int) -> Bool[np.ndarray, " pairs"]:
    """Whether neither side is empty or has more tokens."""
    return (lengths.min(0) > 0) & (lengths.max(0) <= max_length)


def left_out(lengths: Lengths, max_length: int) -> str:
    """How many pairs are not learnt from, and why; empty where all are."""
    empty = lengths.min(0) == 0
    longer = ~empty & (lengths.max(0) > max_length)
    more = f"more than {max_length} tokens on a side (a larger data.max_length takes them in)"
    each = (longer, more), (empty, "an empty side")
    told = [f"{which.sum():,} with {what}" for which, what in each if which.any()]
    of = f"of {len(empty):,} training pairs, not learnt from: "
    return of + ", ".join(told) if told else ""
