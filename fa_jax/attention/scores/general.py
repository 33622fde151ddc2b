"""The product of query and annotation through a matrix (Luong et al. 2015, Eq. 7)."""

from dataclasses import dataclass

from jaxtyping import PRNGKeyArray

from fa_jax.attention.params import Params
from fa_jax.attention.score import Sizes, glorot
from fa_jax.attention.scores.dot import Dot


@dataclass(frozen=True)
class General(Dot):
    """`h_{t-1} · W h̄_s`: the dot score, with `W h̄_s` as keys."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return {"memory_kernel": glorot(key, sizes.memory, sizes.query)}
