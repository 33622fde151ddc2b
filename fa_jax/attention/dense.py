"""Scores at every position, for training: no gather, and gradients as cheap as the scores."""

from jaxtyping import Array, Bool, Float

from fa_jax.attention.score import score


def dense_scores(
    vector: Float[Array, " A"],
    query: Float[Array, "B K A"],
    keys: Float[Array, "B S A"],
    window: Bool[Array, "B K S"],
) -> Float[Array, "B K S"]:
    """The score of each position, in the window or not."""
    return score(vector, query, keys)
