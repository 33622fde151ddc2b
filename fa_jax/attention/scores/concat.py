"""The additive score: a hidden layer over query and annotation (Bahdanau et al. 2015)."""

from dataclasses import dataclass

from jaxtyping import PRNGKeyArray, PyTree

from fa_jax.attention.hidden_layer import hidden_layer_score, init_additive
from fa_jax.attention.score import Queries, Score, Scores, Sizes
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class Concat(Score):
    """`v_a · tanh(W_a [h_{t-1}; h̄_s])`, without biases (VS Eq. 3; Bahdanau et al. 2015)."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return init_additive(key, sizes)

    def evaluate(self, params: Params, query: Queries, keys: PyTree, state: PyTree) -> Scores:
        return hidden_layer_score(params["vector"], query, keys)
