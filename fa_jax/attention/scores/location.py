"""A score that does not read the annotations (Luong et al. 2015, Eq. 8)."""

import math
from dataclasses import dataclass, replace

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_positive
from fa_jax.attention.score import Queries, Score, Scores, Sizes, at_least_float32, glorot
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class Location(Score):
    """`(W h_{t-1})_s`: each position has weights of its own."""

    positions: int = 1024
    """Longest source, padding included."""

    def __post_init__(self):
        check_positive(positions=self.positions)

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return {"query_kernel": glorot(key, sizes.query, self.positions)}

    def for_sources(self, longest: int) -> "Location":
        return replace(self, positions=max(self.positions, 2 ** math.ceil(math.log2(longest))))

    def keys(
        self, params: Params, annotations: Float[Array, "B S D"], positions: Int[Array, "B S"]
    ) -> Int[Array, "B S"]:
        """The positions themselves.

        Raises:
          ValueError: there are more than `positions`.
        """
        length = annotations.shape[1]
        if length > self.positions:
            raise ValueError(
                f"annotations have {length} positions, but the location score was made for at "
                f"most {self.positions}: cut them, or give it more positions"
            )
        return positions

    def evaluate(self, params: Params, query: Queries, keys: PyTree, state: PyTree) -> Scores:
        return at_least_float32(jnp.take_along_axis(query, keys[:, None], axis=2))
