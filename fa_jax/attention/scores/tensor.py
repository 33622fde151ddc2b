"""The neural tensor layer as a score (Socher et al. 2013)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_positive
from fa_jax.attention.hidden_layer import project_hidden
from fa_jax.attention.score import InputKernels, Queries, Score, Scores, Sizes, glorot
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class Tensor(Score):
    """`u · tanh(h_{t-1}ᵀ W^[1:C] h̄_s + V [h_{t-1}; h̄_s] + b)`."""

    windowed_from: ClassVar[float] = math.inf
    """Windows were nowhere measured to pay: a sentence's slices are one large product, which blocks
    cut into small ones."""

    slices: int = 4
    """Slices of the tensor (C)."""

    def __post_init__(self):
        check_positive(slices=self.slices)

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        tensor_key, kernel_key, vector_key = jax.random.split(key, 3)
        slices = [
            glorot(k, sizes.query, sizes.memory) for k in jax.random.split(tensor_key, self.slices)
        ]
        kernel = glorot(kernel_key, sizes.query + sizes.memory, self.slices)
        return {
            "tensor": jnp.stack(slices, axis=1),
            "query_kernel": kernel[: sizes.query],
            "memory_kernel": kernel[sizes.query :],
            "bias": jnp.zeros(self.slices),
            "vector": glorot(vector_key, self.slices),
        }

    def kernels(self, params: Params) -> InputKernels:
        """All slices of the tensor, then the query's part of V."""
        slices = params["tensor"].reshape(len(params["tensor"]), -1)
        return jnp.concatenate([slices, params["query_kernel"]], axis=1), None

    def keys(
        self, params: Params, annotations: Float[Array, "B S D"], positions: Int[Array, "B S"]
    ) -> tuple[Float[Array, "B S D"], Float[Array, "B S C"]]:
        return annotations, annotations @ params["memory_kernel"] + params["bias"][None, None]

    def evaluate(self, params: Params, query: Queries, keys: PyTree, state: PyTree) -> Scores:
        annotations, linear = keys
        bilinear, query_part = jnp.split(query, [query.shape[-1] - self.slices], axis=-1)
        bilinear = bilinear.reshape(*query.shape[:2], self.slices, -1)
        products = jnp.einsum("nkcd,nsd->nksc", bilinear, annotations)
        hidden = jnp.tanh(products + query_part[:, :, None] + linear[:, None])
        return project_hidden(hidden, params["vector"])
