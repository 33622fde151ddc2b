"""The product of query and annotation (Luong et al. 2015, Eq. 7)."""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_array
from fa_jax.attention.score import Queries, Score, Scores, Sizes, at_least_float32
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class Dot(Score):
    """`h_{t-1} · h̄_s`."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        if sizes.query != sizes.memory:
            raise ValueError(
                f"the dot score needs query and memory of one size, got query_size {sizes.query} "
                f"and memory_size {sizes.memory}: make them equal, or take the general score"
            )
        return {}

    def evaluate(self, params: Params, query: Queries, keys: PyTree, state: PyTree) -> Scores:
        check_array("query", query, (*query.shape[:2], keys.shape[-1]), jnp.floating)
        wide = at_least_float32(query).dtype
        return jnp.einsum("nkh,nsh->nks", query, keys, preferred_element_type=wide)
