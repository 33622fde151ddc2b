"""One score for each dimension of an annotation (Choi et al. 2018)."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.params import Params
from fa_jax.attention.score import Sizes, at_least_float32, glorot
from fa_jax.attention.scores.concat import Feedback


@dataclass(frozen=True)
class FineGrained(Feedback):
    """`V tanh(W [h_{t-1}; h̄_s; i_t])` with D outputs: AttY2D, FG Eq. 7."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        hidden_key, output_key = jax.random.split(key)
        hidden = {k: v for k, v in super().init(hidden_key, sizes).items() if k != "vector"}
        return hidden | {"output_kernel": glorot(output_key, sizes.attention, sizes.memory)}

    def evaluate(
        self,
        params: Params,
        query: Float[Array, "N K A"],
        keys: Float[Array, "N S A"],
        state: PyTree,
    ) -> Float[Array, "N K S D"]:
        hidden = jnp.tanh(query[:, :, None] + keys[:, None])
        return at_least_float32(hidden @ params["output_kernel"])
