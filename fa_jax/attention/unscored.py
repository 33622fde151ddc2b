"""A step of a span that scores nothing."""

import jax.numpy as jnp

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step, Weighed


def weigh(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """Zeros; the focus stays, and positions keep what they remember."""
    focus, (_, length, size) = step.state.focus, step.memory.annotations.shape
    return Weighed(
        context=jnp.zeros((*focus.shape, size), step.memory.annotations.dtype),
        focus=focus,
        state=step.state.score,
        weights=jnp.zeros((*focus.shape, length), focus.dtype) if details else None,
        taps=step.state.taps,
    )
