"""The flexible span of VS Eqs. 4 to 8: distance from the focus is penalised as the step needs."""

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray, PyTree

from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.score import Kernels, Sizes, at_least_float32, glorot
from fa_jax.attention.span import AttentionState, Reach, Span, window_around

INITIAL_STRENGTH_BIAS = -4.0
"""g starts near 0.02: with 0 the focus cannot leave the sentence's start at first."""


@dataclass(frozen=True)
class Flexible(Span):
    """Around the last focus, as far as the penalty stays below τ. sigma: σ of Eq. 6."""

    sigma: float | Float[Array, ""] = 1.5

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        """The network of Eq. 8; the kernel's rows: query first, then feedback."""
        kernel_key, vector_key = jax.random.split(key)
        strength = {
            "kernel": glorot(kernel_key, sizes.query + sizes.feedback, sizes.attention),
            "vector": glorot(vector_key, sizes.attention),
            "bias": jnp.asarray(INITIAL_STRENGTH_BIAS),
        }
        return {"strength": strength}

    def kernels(self, params: Params, query_size: int) -> Kernels:
        kernel = params["strength"]["kernel"]
        return kernel[:query_size], kernel[query_size:]

    def narrows(self, threshold: float | Float[Array, ""]) -> bool:
        return not (isinstance(threshold, (int, float)) and math.isinf(threshold))

    def reach(
        self,
        params: Params,
        projected: Float[Array, "B K A"],
        state: AttentionState,
        memory: Memory,
        threshold: float | Float[Array, ""],
        training_keys: Key[Array, " B"] | None,
    ) -> Reach:
        g = strength(params["strength"], projected)
        window = self.window(g, state.focus, memory.lengths, threshold)
        return Reach(*window, prior=(g, state.focus), strength=g)

    def window(
        self,
        strength: Float[Array, "B K"],
        focus: Float[Array, "B K"],
        lengths: Int[Array, " B"],
        threshold: float | Float[Array, ""],
    ) -> tuple[Int[Array, "B K"], Int[Array, "B K"]]:
        """First and last position whose penalty is below τ (VS 3.1)."""
        strength, focus = jax.lax.stop_gradient((strength, focus))
        half_width = jnp.sqrt(threshold * 2 * self.sigma**2 / strength)

        def inside(position: Float[Array, "B K"]) -> Bool[Array, "B K"]:
            cost = penalty(strength, focus, position[..., None], self.sigma)
            return cost[..., 0] < threshold

        return window_around(focus, half_width, lengths, inside)

    def bias(self, prior: PyTree, positions: Float[Array, "N K P"]) -> Float[Array, "N K P"]:
        return -penalty(*prior, positions, self.sigma)


def strength(params: Params, hidden: Float[Array, "*N A"]) -> Float[Array, "*N"]:
    """g(t) = sigmoid(v_g · tanh(W_g [h_{t-1}; i_t]) + b_g), Eq. 8, from `W_g [h_{t-1}; i_t]`."""
    return jax.nn.sigmoid(at_least_float32(jnp.tanh(hidden) @ params["vector"] + params["bias"]))


def with_sigma(params: Params, before: float, after: float) -> Params:
    """The network of Eq. 8 for another σ: g / (1 − g) grows by (after / before)², so that strengths
    far below 1 penalise as they did, and none penalises more than the new σ allows."""
    return params | {"bias": params["bias"] + 2 * math.log(after / before)}


def penalty(
    strength: Float[Array, "B K"],
    focus: Float[Array, "B K"],
    positions: Float[Array, "B K S"] | Float[Array, " S"],
    sigma: float | Float[Array, ""],
) -> Float[Array, "B K S"]:
    """g(t) (s − p_{t-1})² / (2σ²), Eqs. 5 and 6."""
    distance = jnp.square(positions - focus[..., None]) / (2 * sigma**2)
    return strength[..., None] * distance
