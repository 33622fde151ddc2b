"""Scores at every position, for training: no gather, and gradients as cheap as the scores."""

from collections.abc import Callable

from jaxtyping import Array, Bool, Float, PyTree


def dense_scores(
    evaluate: Callable[..., Array],
    query: Float[Array, "B K Q"],
    keys: PyTree,
    window: Bool[Array, "B K S"],
) -> Float[Array, "B K S *D"]:
    """The score of each position, in the window or not. evaluate(query, keys): see `Score`."""
    return evaluate(query, keys)
