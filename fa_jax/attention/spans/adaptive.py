"""Adaptive spans (Sukhbaatar et al. 2019), brought to cross-attention: a learnt extent."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key, PRNGKeyArray, PyTree

from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.score import Kernels, Sizes, at_least_float32, glorot
from fa_jax.attention.span import AttentionState, Reach, Span, window_around

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
        prior = extent, state.focus
        window = window_around(
            state.focus,
            jax.lax.stop_gradient(self.ramp + extent),
            memory.lengths,
            lambda s: self._mask(prior, s[..., None])[..., 0] > 0,
        )
        return Reach(*window, prior=prior, extent=extent)

    def bias(self, prior: PyTree, positions: Float[Array, "N K P"]) -> Float[Array, "N K P"]:
        mask = self._mask(prior, positions)
        # The position nearest to a focus far outside has no ramp at all, but is in the window.
        soft = (mask > 0) & (mask < 1)
        return jnp.where(soft, jnp.log(jnp.where(soft, mask, 1)), 0)

    def _mask(self, prior: PyTree, positions: Float[Array, "N K P"]) -> Float[Array, "N K P"]:
        extent, focus = prior
        distance = jnp.abs(positions - focus[..., None])
        return (self.ramp + extent[..., None] - distance) / self.ramp
