"""How long is the longest sentence that is learnt from?"""

import numpy as np

from fa_jax.data.encoded import EncodedPairs

SHARE = 0.99
"""Of the training pairs: the few that are longer often do not belong together."""
AT_LEAST, AT_LEAST_CHARACTERS = 50, 150
"""Tokens. Short text costs nothing more: batches are as long as their sentences."""
AT_MOST = 4
"""Times as many as at least: batches of longer ones may not fit into memory."""


def longest_learnt(train: EncodedPairs, tokenizer: str) -> int:
    """Tokens of either side, where the user named no limit.

    Args:
      train: the training set.
      tokenizer: what a token is (`DataConfig.tokenizer`).
    """
    lengths = np.maximum(train.source.lengths, train.target.lengths)
    at_least = AT_LEAST_CHARACTERS if tokenizer == "character" else AT_LEAST
    needed = int(np.quantile(lengths, SHARE, method="higher"))
    return min(max(needed, at_least), AT_MOST * at_least)
