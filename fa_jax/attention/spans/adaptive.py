"""Adaptive spans (Sukhbaatar et al. 2019), brought to cross-attention: a learnt extent."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key, PRNGKeyArray

from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.score import Kernels, Sizes, at_least_float32, glorot
from fa_jax.attention.span import AttentionState, Reach, Span, inside

INITIAL_EXTENT_BIAS = 2.0
"""z starts near 0.88 of the sentence: nearly all of it is read before anything is learnt."""


@dataclass(frozen=True)
class Adaptive(Span):
    """Up to z(t) around the last focus, and a soft ramp of width R behind that.

    Weights are `m(s) exp(score) / Σ m exp(score)` with `m(s) = clip((R + z − |s − p_{t-1}|) / R,
    0, 1)` (their Eqs. 3, 4) and `z(t) = S sigmoid(v · tanh(W h_{t-1}) + b)`, S the sentence's own
    length; where m is 0 nothing is scored. Training pays for z. ramp: R, in positions.
    """

    ramp: float = 4.0

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        kernel_key, vector_key = jax.random.split(key)
        extent = {
            "kernel": glorot(kernel_key, sizes.query, sizes.attention),
            "vector": glorot(vector_key, sizes.attention),
            "bias": jnp.asarray(INITIAL_EXTENT_BIAS),
        }
        return {"extent": extent}

    def kernels(self, params: Params, query_size: int) -> Kernels:
        return params["extent"]["kernel"], None

    def narrows(self, threshold: float | Float[Array, ""]) -> bool:
        return True

    def reach(
        self,
        params: Params,
        projected: Float[Array, "B K A"],
        state: AttentionState,
        memory: Memory,
        threshold: float | Float[Array, ""],
        training_keys: Key[Array, " B"] | None,
    ) -> Reach:
        p = params["extent"]
        share = jax.nn.sigmoid(at_least_float32(jnp.tanh(projected) @ p["vector"] + p["bias"]))
        extent = memory.lengths[:, None] * share
        distance = jnp.abs(memory.positions - state.focus[..., None])
        ramp = (self.ramp + extent[..., None] - distance) / self.ramp
        window = inside(ramp > 0, state.focus, memory.lengths)
        # The position nearest to a focus far outside may have no ramp at all.
        soft = (ramp > 0) & (ramp < 1)
        bias = jnp.where(soft, jnp.log(jnp.where(soft, ramp, 1)), 0)
        return Reach(window, bias=bias, extent=extent)
