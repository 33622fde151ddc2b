"""A step computed at every position: no gather, and gradients as cheap as the scores."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from fa_jax.attention.memory import Memory
from fa_jax.attention.params import Params
from fa_jax.attention.score import Score
from fa_jax.attention.span import AttentionState, Reach, Span
from fa_jax.attention.weighed import Weighed


def weigh(
    score: Score,
    span: Span,
    params: Params,
    query: Float[Array, "B K Q"],
    reach: Reach,
    state: AttentionState,
    memory: Memory,
    details: bool,
) -> Weighed:
    """Scores all positions, masks those outside the window, and sums (VS Eqs. 1, 4, 7).

    params: the score's. details: also return weights, [B, K, S].
    """
    scores = score.evaluate(params, query, memory.keys, state.score)
    window = window_mask(reach.first, reach.last, scores.shape[2])
    by_dimension = None
    if scores.ndim == 4:
        by_dimension = jax.vmap(_weights, in_axes=(None, -1, None, None, None), out_axes=-1)(
            span, scores, window, reach, memory
        )
        weights, product = by_dimension.mean(-1), "bksd,bsd->bkd"
    else:
        weights, product = _weights(span, scores, window, reach, memory), "bks,bsd->bkd"
    chosen = weights if by_dimension is None else by_dimension
    of_score = state.score
    if jax.tree.leaves(of_score):
        updated = score.update(params, of_score, score.observe(weights))
        of_score = jax.tree.map(
            lambda old, new: jnp.where(window[..., None], new, old), of_score, updated
        )
    return Weighed(
        context=jnp.einsum(product, chosen.astype(memory.annotations.dtype), memory.annotations),
        focus=(weights * memory.positions).sum(-1),
        state=of_score,
        weights=weights if details else None,
        by_dimension=by_dimension if details else None,
    )


def window_mask(
    first: Int[Array, "B K"], last: Int[Array, "B K"], length: int
) -> Bool[Array, "B K S"]:
    """True in the window."""
    index = jnp.arange(length)
    return (index >= first[..., None]) & (index <= last[..., None])


def _weights(
    span: Span,
    scores: Float[Array, "B K S"],
    window: Bool[Array, "B K S"],
    reach: Reach,
    memory: Memory,
) -> Float[Array, "B K S"]:
    """The softmax over the window alone, exactly 0 elsewhere; an empty one has no weights."""
    if reach.head is not None:
        return span.expect(scores, window, reach)
    positions = jnp.broadcast_to(memory.positions, scores.shape)
    biased = scores + span.bias(reach.prior, positions)
    return jax.nn.softmax(biased, where=window) * span.factor(reach.prior, positions)
