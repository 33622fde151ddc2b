"""A softmax over positions that come bit by bit: sums so far, below the highest score so far."""

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float

from fa_jax.attention.span import by_position


@struct.dataclass
class RunningSoftmax:
    """Sums over each row's positions so far of exp(score − highest) × …

    A position has one score, or one for each of W dimensions. highest: of the scores. total: of 1.
    context: of annotations. focus: of positions.
    """

    highest: Float[Array, "N *W"]
    total: Float[Array, "N *W"]
    context: Float[Array, "N D"]
    focus: Float[Array, "N *W"]

    def rescaled(
        self, highest: Float[Array, "N *W"]
    ) -> tuple["RunningSoftmax", Float[Array, "N *W"]]:
        """The sums, rescaled for new scores, and what those are lowered by before their exp.

        highest: of each row's new ones; -inf where there is none.
        """
        highest = jnp.maximum(self.highest, highest)
        level = jnp.where(highest == -jnp.inf, 0, highest)
        before = jnp.exp(self.highest - level)
        context = self.context * by_position(before, 2)
        return RunningSoftmax(highest, self.total * before, context, self.focus * before), level

    def means(self) -> tuple[Float[Array, "N *W"], Float[Array, "N D"], Float[Array, "N *W"]]:
        """What the sums are divided by, and the mean annotation and position; 0 of no position."""
        total = jnp.where(self.total == 0, 1, self.total)
        return total, self.context / total.reshape(len(total), -1), self.focus / total
