"""An additive score that also reads the word fed back (Choi et al. 2018)."""

from dataclasses import dataclass

import jax
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.hidden_layer import hidden_layer_score, init_hidden_layer
from fa_jax.attention.params import Params
from fa_jax.attention.score import Score, Sizes, glorot


@dataclass(frozen=True)
class Feedback(Score):
    """`v · tanh(W [h_{t-1}; h̄_s; i_t])`: AttY, FG Eq. 6."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        kernel_key, vector_key = jax.random.split(key)
        vector = glorot(vector_key, sizes.attention)
        return init_hidden_layer(kernel_key, sizes, feedback=True) | {"vector": vector}

    def evaluate(
        self,
        params: Params,
        query: Float[Array, "N K A"],
        keys: Float[Array, "N S A"],
        state: PyTree,
    ) -> Float[Array, "N K S"]:
        return hidden_layer_score(params["vector"], query, keys)
