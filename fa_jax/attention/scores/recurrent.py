"""Recurrent attention modelling: each position remembers what it received (Yang et al. 2017)."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_positive
from fa_jax.attention.hidden_layer import init_additive, project_hidden
from fa_jax.attention.score import Queries, Score, Scores, Sizes, at_least_float32, glorot
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class Recurrent(Score):
    """`v · tanh(W [h_{t-1}; h̄_s; d_{t,s}])`; d is updated at each step by a gated recurrent unit.

    `d_{t+1,s} = GRU(d_{t,s}, [a_t(s-n), ..., a_t(s+n)])` (Cho et al. 2014), 0 at first.
    """

    dynamic_size: int = 16
    """What each source position remembers (d), in units."""
    neighbours: int = 2
    """Positions on either side whose weights it sees (n)."""

    def __post_init__(self):
        check_positive(dynamic_size=self.dynamic_size, neighbours=self.neighbours)

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        concat_key, score_key, input_key, recurrent_key = jax.random.split(key, 4)
        units, inputs = self.dynamic_size, 2 * self.neighbours + 1
        return init_additive(concat_key, sizes) | {
            "dynamic_kernel": glorot(score_key, units, sizes.attention),
            "cell": {
                "input_kernel": glorot(input_key, inputs, 3 * units),
                "recurrent_kernel": glorot(recurrent_key, units, 3 * units),
                "bias": jnp.zeros(3 * units),
            },
        }

    def evaluate(self, params: Params, query: Queries, keys: PyTree, state: PyTree) -> Scores:
        dynamic = state.astype(keys.dtype) @ params["dynamic_kernel"]
        hidden = jnp.tanh(query[:, :, None] + keys[:, None] + dynamic)
        return project_hidden(hidden, params["vector"])

    def initial_state(self, sentences: int, length: int) -> Float[Array, "B S M"]:
        return jnp.zeros((sentences, length, self.dynamic_size))

    def observe(self, weights: Float[Array, "B K S"]) -> Float[Array, "B K S n"]:
        """Each position's own weight and its neighbours' on either side; 0 beyond the sentence."""
        length, n = weights.shape[-1], self.neighbours
        padded = jnp.pad(weights, [(0, 0), (0, 0), (n, n)])
        return jnp.stack([padded[..., i : i + length] for i in range(2 * n + 1)], axis=-1)

    def update(
        self, params: Params, state: Float[Array, "N K S M"], observed: Float[Array, "N K S n"]
    ) -> Float[Array, "N K S M"]:
        cell = jax.tree.map(at_least_float32, params["cell"])
        inputs = observed @ cell["input_kernel"] + cell["bias"][None, None, None]
        inputs = jnp.split(inputs, 3, axis=-1)
        recurrent = jnp.split(cell["recurrent_kernel"], 3, axis=-1)
        update = jax.nn.sigmoid(inputs[0] + state @ recurrent[0])
        reset = jax.nn.sigmoid(inputs[1] + state @ recurrent[1])
        candidate = jnp.tanh(inputs[2] + (reset * state) @ recurrent[2])
        return (1 - update) * state + update * candidate
