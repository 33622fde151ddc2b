"""Additive scores: a hidden layer over query and annotation, and the word fed back."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_array
from fa_jax.attention.params import Params
from fa_jax.attention.score import Kernels, Score, Sizes, glorot, hidden_layer_score


@dataclass(frozen=True)
class Concat(Score):
    """`v_a · tanh(W_a [h_{t-1}; h̄_s])`, without biases (VS Eq. 3; Bahdanau et al. 2015).

    `W_a` splits into a part of the query and a part of the memory, whose sum goes through tanh;
    the memory's part does not change from step to step.
    """

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        kernel_key, vector_key = jax.random.split(key)
        # Glorot over the whole of W_a, so that its two parts start at one scale.
        kernel = glorot(kernel_key, sizes.query + sizes.memory, sizes.attention)
        return {
            "query_kernel": kernel[: sizes.query],
            "memory_kernel": kernel[sizes.query :],
            "vector": glorot(vector_key, sizes.attention),
        }

    def kernels(self, params: Params) -> Kernels:
        return params["query_kernel"], None

    def keys(self, params: Params, annotations: Float[Array, "B S D"]) -> Float[Array, "B S A"]:
        kernel = params["memory_kernel"]
        check_array("annotations", annotations, (None, None, len(kernel)), jnp.floating)
        return annotations @ kernel

    def evaluate(
        self,
        params: Params,
        query: Float[Array, "N K A"],
        keys: Float[Array, "N S A"],
        state: PyTree,
    ) -> Float[Array, "N K S"]:
        return hidden_layer_score(params["vector"], query, keys)


@dataclass(frozen=True)
class Feedback(Concat):
    """`v · tanh(W [h_{t-1}; h̄_s; i_t])`: AttY, FG Eq. 6."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        kernel_key, vector_key = jax.random.split(key)
        rows = sizes.query, sizes.memory, sizes.feedback
        kernel = glorot(kernel_key, sum(rows), sizes.attention)
        return {
            "query_kernel": kernel[: sizes.query],
            "memory_kernel": kernel[sizes.query : -sizes.feedback],
            "feedback_kernel": kernel[-sizes.feedback :],
            "vector": glorot(vector_key, sizes.attention),
        }

    def kernels(self, params: Params) -> Kernels:
        return params["query_kernel"], params["feedback_kernel"]
