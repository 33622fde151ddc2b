"""A score that does not read the annotations (Luong et al. 2015, Eq. 8)."""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree

from fa_jax.attention.params import Params
from fa_jax.attention.score import Kernels, Score, Sizes, at_least_float32, glorot


@dataclass(frozen=True)
class Location(Score):
    """`(W h_{t-1})_s`. positions: the longest sentence that it can be asked for."""

    positions: int = 1024

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return {"query_kernel": glorot(key, sizes.query, self.positions)}

    def kernels(self, params: Params) -> Kernels:
        return params["query_kernel"], None

    def keys(self, params: Params, annotations: Float[Array, "B S D"]) -> Int[Array, "B S"]:
        """The positions themselves.

        Raises:
          ValueError: there are more than `positions`.
        """
        sentences, length, _ = annotations.shape
        if length > self.positions:
            raise ValueError(
                f"annotations have {length} positions, but the location score was made for at "
                f"most {self.positions}: cut them, or give it more positions"
            )
        return jnp.broadcast_to(jnp.arange(length), (sentences, length))

    def evaluate(
        self, params: Params, query: Float[Array, "N K P"], keys: Int[Array, "N S"], state: PyTree
    ) -> Float[Array, "N K S"]:
        return at_least_float32(jnp.take_along_axis(query, keys[:, None], axis=2))
