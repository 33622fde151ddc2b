"""Local attention around a predicted centre (Luong et al. 2015)."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_positive
from fa_jax.attention.hidden_layer import decide, init_decision
from fa_jax.attention.score import InputKernels, Sizes
from fa_jax.attention.span import Reach, Span
from fa_jax.attention.step import Params, Step
from fa_jax.attention.window import window_within


@dataclass(frozen=True)
class LocalP(Span):
    """`|s − p_t| ≤ D` around a predicted p_t; weights × exp(−(s − p_t)² / 2σ²) (VS Eqs. 10, 11).

    `p_t = S · sigmoid(v_p · tanh(W_p h_{t-1}))` with S the sentence's own length, σ = D / 2. The
    product is not normalised again.
    """

    network: ClassVar[str] = "position"

    half_width: int = 10
    """Positions on either side of the centre (D)."""

    def __post_init__(self):
        check_positive(half_width=self.half_width)

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return {"position": init_decision(key, sizes.query, sizes.attention)}

    def kernels(self, params: Params, query_size: int) -> InputKernels:
        return params["position"]["kernel"], None

    def reach(self, step: Step) -> Reach:
        lengths = step.memory.lengths
        share = decide(step.params["position"], step.span_query)
        centre = lengths[:, None].astype(share.dtype) * share
        return Reach(*window_within(centre, self.half_width, lengths), prior=centre)

    def factor(self, prior: PyTree, positions: Float[Array, "N K P"]) -> Float[Array, "N K P"]:
        distance = (positions - prior[..., None]) / (self.half_width / 2)
        return jnp.exp(-jnp.square(distance) / 2)
