"""A step computed at every position: no gather, and gradients as cheap as the scores."""

import jax
import jax.numpy as jnp

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.score import scores_of
from fa_jax.attention.span import Reach, by_position, over_dimensions
from fa_jax.attention.step import Step, Weighed
from fa_jax.attention.window import window_mask


def weigh(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """Scores all positions, masks those outside the window, and sums (VS Eqs. 1, 4, 7).

    details: also return weights.
    """
    score, params, memory = config.score, step.params["score"], step.memory
    length, remembered = memory.annotations.shape[1], step.state.score
    scores = scores_of(score, params, step.query, memory.keys, remembered, length)
    window = window_mask(reach.first, reach.last, length)
    bias = config.span.bias(reach.prior, jnp.broadcast_to(memory.positions, window.shape))
    scores = scores + by_position(bias, scores.ndim)
    weights = config.span.weights(scores, window, reach, memory.positions)
    product = "bks,bsd->bkd" if scores.ndim == 3 else "bksd,bsd->bkd"
    context = jnp.einsum(product, weights.astype(memory.annotations.dtype), memory.annotations)
    mean = over_dimensions(weights)
    if jax.tree.leaves(remembered):
        updated = score.update(params, remembered, score.observe(mean))
        remembered = jax.tree.map(
            lambda old, new: jnp.where(by_position(window, new.ndim), new, old),
            remembered,
            updated,
        )
    return Weighed(
        context=context,
        focus=(mean * memory.positions[None, None]).sum(-1),
        state=remembered,
        weights=weights if details else None,
    )
