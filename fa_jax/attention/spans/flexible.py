"""The flexible span of VS Eqs. 4 to 8: distance from the focus is penalised as the step needs."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_positive
from fa_jax.attention.hidden_layer import decide, init_decision
from fa_jax.attention.score import InputKernels, Sizes
from fa_jax.attention.span import Reach, Span
from fa_jax.attention.step import Params, Step
from fa_jax.attention.window import Window, window_around

INITIAL_STRENGTH_BIAS = -4.0
"""g starts near 0.02: with 0 the focus cannot leave the sentence's start at first."""


@dataclass(frozen=True)
class Flexible(Span):
    """Positions around the last focus whose penalty is below τ."""

    network: ClassVar[str] = "strength"

    sigma: float | Float[Array, ""] = 1.5
    """Width of the distance penalty, in source tokens (σ of Eq. 6)."""

    def __post_init__(self):
        check_positive(sigma=self.sigma)

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        """The network of g(t) = sigmoid(v_g · tanh(W_g [h_{t-1}; i_t]) + b_g), Eq. 8; the rows of
        W_g: query first, then feedback."""
        strength = init_decision(key, sizes.query + sizes.feedback, sizes.attention)
        return {"strength": strength | {"bias": jnp.asarray(INITIAL_STRENGTH_BIAS)}}

    def kernels(self, params: Params, query_size: int) -> InputKernels:
        kernel = params["strength"]["kernel"]
        return kernel[:query_size], kernel[query_size:]

    def narrows(self, threshold: float | Float[Array, ""]) -> bool:
        unknown = isinstance(threshold, jax.core.Tracer)
        return unknown or not np.isinf(threshold).all()

    def reach(self, step: Step) -> Reach:
        g, focus = decide(step.params["strength"], step.span_query), step.state.focus
        window = self.window(g, focus, step.memory.lengths, step.threshold)
        return Reach(*window, prior=(g, focus), strength=g)

    def window(
        self,
        strength: Float[Array, "B K"],
        focus: Float[Array, "B K"],
        lengths: Int[Array, " B"],
        threshold: float | Float[Array, ""] | Float[Array, "B 1"],
    ) -> Window:
        """First and last position whose penalty is below τ (VS 3.1)."""
        strength, focus = jax.lax.stop_gradient((strength, focus))
        half_width = jnp.sqrt(threshold * 2 * self.sigma**2 / strength)

        def inside(position: Float[Array, "B K"]) -> Bool[Array, "B K"]:
            cost = penalty(strength, focus, position[..., None], self.sigma)
            return cost[..., 0] < threshold

        return window_around(focus, half_width, lengths, inside)

    def bias(self, prior: PyTree, positions: Float[Array, "N K P"]) -> Float[Array, "N K P"]:
        return -penalty(*prior, positions, self.sigma)

    def for_tokens(self, a_word: float) -> Span:
        """σ in words: narrow windows of characters would be parts of words."""
        return replace(self, sigma=round(self.sigma * a_word, 1))

    def continued(self, params: Params, before: Span) -> Params:
        """g / (1 − g) grows by (σ after / σ before)², so that strengths far below 1 penalise as
        they did, and none penalises more than the new σ allows."""
        strength = params["strength"]
        bias = strength["bias"] + 2 * math.log(self.sigma / before.sigma)
        return params | {"strength": strength | {"bias": bias}}


def penalty(
    strength: Float[Array, "B K"],
    focus: Float[Array, "B K"],
    positions: Float[Array, "#B #K S"],
    sigma: float | Float[Array, ""],
) -> Float[Array, "B K S"]:
    """g(t) (s − p_{t-1})² / (2σ²), Eqs. 5 and 6."""
    distance = jnp.square(positions - focus[..., None]) / (2 * sigma**2)
    return strength[..., None] * distance
