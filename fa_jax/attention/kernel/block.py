"""What a kernel does with a block of positions, wherever it has it from."""

from dataclasses import replace

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int, PyTree

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.params import Params
from fa_jax.attention.running_softmax import RunningSoftmax
from fa_jax.attention.score import at_least_float32


@struct.dataclass
class Row:
    """One query of one sentence: its window, and what its scores and weights are made of.

    prior: leaves [1, 1]. params: those that the score reads. settings: the span's that are arrays.
    """

    first: Int[Array, ""]
    last: Int[Array, ""]
    query: Float[Array, "1 Q"]
    prior: PyTree
    params: Params
    settings: dict[str, Float[Array, ""]]


def add_block(
    config: AttentionConfig,
    row: Row,
    running: RunningSoftmax,
    start: Int[Array, ""],
    keys: Float[Array, "block F"],
    annotations: Float[Array, "block D"],
) -> RunningSoftmax:
    """With a block of positions, the first of which is start."""
    span = replace(config.span, **row.settings) if row.settings else config.span
    block, width = len(keys), running.highest.shape[1]
    scores = at_least_float32(config.score.evaluate(row.params, row.query[None], keys[None], ()))
    places = start + jax.lax.broadcasted_iota(jnp.int32, (1, 1, block), 2)
    inside = (places >= row.first) & (places <= row.last)
    places = places.astype(jnp.float32)
    bias = jnp.where(inside, span.bias(row.prior, places), -jnp.inf)
    factor = jnp.broadcast_to(span.factor(row.prior, places), places.shape)
    bias, factor, places = (x.reshape(block, 1) for x in (bias, factor, places))
    scores = scores.reshape(block, width) + bias
    running, level = running.rescaled(scores.max(0, keepdims=True))
    each = jnp.exp(scores - level)
    counted = each * factor
    add = lambda old, new: old + new.sum(0, keepdims=True)  # noqa: E731
    return running.replace(
        total=add(running.total, each),
        context=add(running.context, counted * annotations.astype(jnp.float32)),
        focus=add(running.focus, counted * places),
    )
