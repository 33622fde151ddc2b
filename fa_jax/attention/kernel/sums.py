"""What a kernel does with a block of positions, wherever it has it from."""

from dataclasses import replace

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int, PyTree

from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.params import Params
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


@struct.dataclass
class Sums:
    """Over the blocks so far, of exp(score − highest) × …; a score for all dimensions, or each."""

    highest: Float[Array, "1 W"]
    total: Float[Array, "1 W"]
    context: Float[Array, "1 D"]
    focus: Float[Array, "1 W"]

    @staticmethod
    def of_nothing(width: int, size: int) -> "Sums":
        """Before the first block."""
        zeros, no_context = jnp.zeros((1, width)), jnp.zeros((1, size))
        return Sums(zeros - jnp.inf, zeros, no_context, zeros)

    def with_block(
        self,
        scores: Float[Array, "block W"],
        factor: Float[Array, "block 1"],
        places: Float[Array, "block 1"],
        annotations: Float[Array, "block D"],
    ) -> "Sums":
        """scores: -inf outside the window."""
        highest = jnp.maximum(self.highest, scores.max(0, keepdims=True))
        level = jnp.where(highest == -jnp.inf, 0, highest)
        before, each = jnp.exp(self.highest - level), jnp.exp(scores - level)
        counted = each * factor
        add = lambda old, new: old * before + new.sum(0, keepdims=True)  # noqa: E731
        return Sums(
            highest=highest,
            total=add(self.total, each),
            context=add(self.context, counted * annotations.astype(jnp.float32)),
            focus=add(self.focus, counted * places),
        )

    def means(self) -> tuple[Float[Array, "1 D"], Float[Array, "1 1"]]:
        """Context and focus; 0 of an empty window."""
        total = jnp.where(self.total == 0, 1, self.total)
        return self.context / total, (self.focus / total).mean(-1, keepdims=True)


def add_block(
    config: AttentionConfig,
    row: Row,
    sums: Sums,
    start: Int[Array, ""],
    keys: Float[Array, "block F"],
    annotations: Float[Array, "block D"],
) -> Sums:
    """The sums with a block of positions, the first of which is start."""
    span = replace(config.span, **row.settings) if row.settings else config.span
    block, width = len(keys), sums.highest.shape[1]
    scores = at_least_float32(config.score.evaluate(row.params, row.query[None], keys[None], ()))
    places = start + jax.lax.broadcasted_iota(jnp.int32, (1, 1, block), 2)
    inside = (places >= row.first) & (places <= row.last)
    places = places.astype(jnp.float32)
    bias = jnp.where(inside, span.bias(row.prior, places), -jnp.inf)
    factor = jnp.broadcast_to(span.factor(row.prior, places), places.shape)
    bias, factor, places = (x.reshape(block, 1) for x in (bias, factor, places))
    return sums.with_block(scores.reshape(block, width) + bias, factor, places, annotations)
