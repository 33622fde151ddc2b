"""The additive score: a hidden layer over query and annotation (Bahdanau et al. 2015)."""

from dataclasses import dataclass

import jax
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.hidden_layer import hidden_layer_score, init_hidden_layer
from fa_jax.attention.params import Params
from fa_jax.attention.score import Score, Sizes, glorot


@dataclass(frozen=True)
class Concat(Score):
    """`v_a · tanh(W_a [h_{t-1}; h̄_s])`, without biases (VS Eq. 3; Bahdanau et al. 2015)."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        kernel_key, vector_key = jax.random.split(key)
        vector = glorot(vector_key, sizes.attention)
        return init_hidden_layer(kernel_key, sizes) | {"vector": vector}

    def evaluate(
        self,
        params: Params,
        query: Float[Array, "N K A"],
        keys: Float[Array, "N S A"],
        state: PyTree,
    ) -> Float[Array, "N K S"]:
        return hidden_layer_score(params["vector"], query, keys)
