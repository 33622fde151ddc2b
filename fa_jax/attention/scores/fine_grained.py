"""One score for each dimension of an annotation (Choi et al. 2018)."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray, PyTree

from fa_jax.attention.hidden_layer import init_additive
from fa_jax.attention.score import Queries, Score, Scores, Sizes, at_least_float32, glorot
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class FineGrained(Score):
    """`V tanh(W [h_{t-1}; h̄_s; i_t])` with D outputs: AttY2D, FG Eq. 7."""

    windowed_from: ClassVar[float] = 16

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        hidden_key, output_key = jax.random.split(key)
        hidden = init_additive(hidden_key, sizes, feedback=True)
        del hidden["vector"]  # V stands in its place
        return hidden | {"output_kernel": glorot(output_key, sizes.attention, sizes.memory)}

    def evaluate(self, params: Params, query: Queries, keys: PyTree, state: PyTree) -> Scores:
        hidden = jnp.tanh(query[:, :, None] + keys[:, None])
        wide = at_least_float32(hidden).dtype
        return jnp.matmul(hidden, params["output_kernel"], preferred_element_type=wide)
