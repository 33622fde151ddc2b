"""The product of query and annotation through a matrix (Luong et al. 2015, Eq. 7)."""

from dataclasses import dataclass

from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.params import Params
from fa_jax.attention.score import Score, Sizes, glorot, multiplied


@dataclass(frozen=True)
class General(Score):
    """`h_{t-1} · W h̄_s`."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return {"memory_kernel": glorot(key, sizes.memory, sizes.query)}

    def evaluate(
        self,
        params: Params,
        query: Float[Array, "N K Q"],
        keys: Float[Array, "N S H"],
        state: PyTree,
    ) -> Float[Array, "N K S"]:
        return multiplied(query, keys)
