"""The additive score: a hidden layer over query and annotation (Bahdanau et al. 2015)."""

from dataclasses import dataclass
from typing import ClassVar

import jax
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.hidden_layer import hidden_layer_score, init_hidden_layer
from fa_jax.attention.score import Score, Sizes, glorot
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class Concat(Score):
    """`v_a · tanh(W_a [h_{t-1}; h̄_s])`, without biases (VS Eq. 3; Bahdanau et al. 2015)."""

    reads_feedback: ClassVar[bool] = False
    """Whether the hidden layer reads the word fed back, too."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        kernel_key, vector_key = jax.random.split(key)
        hidden = init_hidden_layer(kernel_key, sizes, feedback=self.reads_feedback)
        return hidden | {"vector": glorot(vector_key, sizes.attention)}

    def evaluate(
        self,
        params: Params,
        query: Float[Array, "N K A"],
        keys: Float[Array, "N S A"],
        state: PyTree,
    ) -> Float[Array, "N K S"]:
        return hidden_layer_score(params["vector"], query, keys)
