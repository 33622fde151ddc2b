"""The product of query and annotation through a matrix (Luong et al. 2015, Eq. 7)."""

from dataclasses import dataclass

from jaxtyping import PRNGKeyArray

from fa_jax.attention.score import Score, Sizes, glorot
from fa_jax.attention.scores.dot import Dot
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class General(Score):
    """`h_{t-1} · W h̄_s`: the keys are `W h̄_s`."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return {"memory_kernel": glorot(key, sizes.memory, sizes.query)}

    evaluate = Dot.evaluate
