"""Cheap linear attention (de Brébisson and Vincent 2016)."""

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from fa_jax.attention.params import Params
from fa_jax.attention.score import InputKernels, Sizes, glorot
from fa_jax.attention.summary import Summary


@dataclass(frozen=True)
class Linear(Summary):
    """`C q̃` with `C = Σ_s h̄_s h̄_sᵀ` [D, D] and `q̃ = W h_{t-1} / D`: `Σ_s (h̄_s · q̃) h̄_s`."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return {"query_kernel": glorot(key, sizes.query, sizes.memory)}

    def kernels(self, params: Params) -> InputKernels:
        # Nothing normalises the products of D units: undivided they saturate the decoder.
        return params["query_kernel"] / params["query_kernel"].shape[1], None

    def summarize(
        self, params: Params, annotations: Float[Array, "B S D"], lengths: Int[Array, " B"]
    ) -> Float[Array, "B D D"]:
        inside = jnp.arange(annotations.shape[1]) < lengths[:, None]
        real = jnp.where(inside[..., None], annotations, 0)
        return jnp.einsum("bsd,bse->bde", real, real)

    def read(
        self,
        params: Params,
        query: Float[Array, "B K D"],
        summary: Float[Array, "B D D"],
        size: int,
    ) -> Float[Array, "B K D"]:
        return jnp.einsum("bde,bke->bkd", summary, query)
