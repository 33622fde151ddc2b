"""Adaptive spans (Sukhbaatar et al. 2019), brought to cross-attention: a learnt extent."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_positive
from fa_jax.attention.hidden_layer import decide, init_decision
from fa_jax.attention.score import InputKernels, Sizes
from fa_jax.attention.span import Reach, Span
from fa_jax.attention.step import Params, Step
from fa_jax.attention.window import window_around

INITIAL_EXTENT_BIAS = 2.0
"""z starts near 0.88 of the sentence: nearly all of it is read before anything is learnt."""


@dataclass(frozen=True)
class Adaptive(Span):
    """Positions up to a learnt distance z(t) from the last focus, with a soft border of width R.

    Weights are `m(s) exp(score) / Σ m exp(score)` with `m(s) = clip((R + z − |s − p_{t-1}|) / R,
    0, 1)` (their Eqs. 3, 4) and `z(t) = S sigmoid(v · tanh(W h_{t-1}) + b)`, S the sentence's own
    length; where m is 0 nothing is scored. Training pays for z.
    """

    network: ClassVar[str] = "extent"

    ramp: float = 4.0
    """Width of the soft border, in source tokens (R)."""
    price: float = 0.05
    """What training pays for a position of the extent z, in nats; a sentence pays its mean."""

    def __post_init__(self):
        check_positive(ramp=self.ramp, price=self.price)

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        extent = init_decision(key, sizes.query, sizes.attention)
        return {"extent": extent | {"bias": jnp.asarray(INITIAL_EXTENT_BIAS)}}

    def kernels(self, params: Params, query_size: int) -> InputKernels:
        return params["extent"]["kernel"], None

    def reach(self, step: Step) -> Reach:
        focus, lengths = step.state.focus, step.memory.lengths
        share = decide(step.params["extent"], step.span_query)
        extent = lengths[:, None].astype(share.dtype) * share
        prior = extent, focus
        window = window_around(
            focus,
            jax.lax.stop_gradient(self.ramp + extent),
            lengths,
            lambda s: self._mask(prior, s[..., None])[..., 0] > 0,
        )
        return Reach(*window, prior=prior, cost=self.price * extent)

    def bias(self, prior: PyTree, positions: Float[Array, "N K P"]) -> Float[Array, "N K P"]:
        mask = self._mask(prior, positions)
        # The position nearest to a focus far outside has no ramp at all, but is in the window.
        soft = (mask > 0) & (mask < 1)
        return jnp.where(soft, jnp.log(jnp.where(soft, mask, 1)), 0)

    def _mask(self, prior: PyTree, positions: Float[Array, "N K P"]) -> Float[Array, "N K P"]:
        extent, focus = prior
        distance = jnp.abs(positions - focus[..., None])
        return (self.ramp + extent[..., None] - distance) / self.ramp
