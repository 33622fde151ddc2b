"""What a user should know of a corpus before a number on it is believed."""

import numpy as np

from fa_jax.data.corpora import Corpus
from fa_jax.data.prepared import PreparedData


def left_out(data: PreparedData) -> str:
    """How many training pairs are not learnt from, and why; empty where all are."""
    max_length = data.max_length
    lengths = np.stack([data.train.source.lengths, data.train.target.lengths])
    empty = int((lengths.min(0) == 0).sum())
    long = int(((lengths.min(0) > 0) & (lengths.max(0) > max_length)).sum())
    reasons = []
    if long:
        reasons.append(
            f"{long:,} with more than {max_length} tokens on a side (a larger data.max_length "
            "takes them in)"
        )
    if empty:
        reasons.append(f"{empty:,} with an empty side")
    if not reasons:
        return ""
    return f"not learnt from, of {lengths.shape[1]:,} training pairs: {', '.join(reasons)}"


def repeated(corpus: Corpus) -> list[str]:
    """A line for each of validation and test set that has pairs of the training set."""
    splits = {"validation": list(corpus.validation), "test": list(corpus.test)}
    held_out = {pair for pairs in splits.values() for pair in pairs}
    learnt = {pair for pair in corpus.train if pair in held_out}
    counts = {name: sum(pair in learnt for pair in pairs) for name, pairs in splits.items()}
    return [
        f"{count:,} of {len(splits[name]):,} {name} pairs are training pairs, too: scores on them "
        "look too good"
        for name, count in counts.items()
        if count
    ]
