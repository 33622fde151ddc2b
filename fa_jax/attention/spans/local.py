"""Local attention: windows of a fixed width (Luong et al. 2015)."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.score import Kernels, Sizes, at_least_float32, glorot
from fa_jax.attention.span import AttentionState, Reach, Span, window_around


@dataclass(frozen=True)
class LocalM(Span):
    """`|s − t| ≤ D`: source and target are assumed to run alike. half_width: D."""

    half_width: int = 10

    def narrows(self, threshold: float | Float[Array, ""]) -> bool:
        return True

    def reach(
        self,
        params: Params,
        projected: None,
        state: AttentionState,
        memory: Memory,
        threshold: float | Float[Array, ""],
        training_keys: Key[Array, " B"] | None,
    ) -> Reach:
        centre = state.step.astype(state.focus.dtype)
        return Reach(*_within(centre, self.half_width, memory))


@dataclass(frozen=True)
class LocalP(Span):
    """`|s − p_t| ≤ D` around a predicted p_t; weights × exp(−(s − p_t)² / 2σ²) (VS Eqs. 10, 11).

    `p_t = S · sigmoid(v_p · tanh(W_p h_{t-1}))` with S the sentence's own length, σ = D / 2. The
    product is not normalised again. half_width: D.
    """

    half_width: int = 10

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        kernel_key, vector_key = jax.random.split(key)
        position = {
            "kernel": glorot(kernel_key, sizes.query, sizes.attention),
            "vector": glorot(vector_key, sizes.attention),
        }
        return {"position": position}

    def kernels(self, params: Params, query_size: int) -> Kernels:
        return params["position"]["kernel"], None

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
        share = jax.nn.sigmoid(at_least_float32(jnp.tanh(projected) @ params["position"]["vector"]))
        centre = memory.lengths[:, None] * share
        return Reach(*_within(centre, self.half_width, memory), prior=centre)

    def factor(
        self, prior: Float[Array, "N K"], positions: Float[Array, "N K P"]
    ) -> Float[Array, "N K P"]:
        distance = positions - prior[..., None]
        return jnp.exp(-jnp.square(distance) / (2 * (self.half_width / 2) ** 2))


def _within(
    centre: Float[Array, "B K"], half_width: int, memory: Memory
) -> tuple[Int[Array, "B K"], Int[Array, "B K"]]:
    near = lambda s: jnp.abs(s - centre) <= half_width  # noqa: E731
    return window_around(jax.lax.stop_gradient(centre), float(half_width), memory.lengths, near)
