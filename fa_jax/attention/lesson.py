"""What a span learns from in training: where attention would look if there were no span.

The loss of a translation cannot teach a span well. Before attention knows where to look, looking
near is better than looking everywhere, so the window closes; and what lies outside a closed window
has no weight, so that nothing opens it again. Scores have no such trap: they are there for all
positions.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Int


@struct.dataclass
class Gaze:
    """Where the scores alone would look: the mean position, and the mean of its square."""

    mean: Float[Array, "B *K"]
    square: Float[Array, "B *K"]


@struct.dataclass
class Normal:
    """A span's prior as a normal distribution over positions, in source tokens."""

    centre: Float[Array, "B K"]
    width: Float[Array, "B K"] | float

    def lesson(self, gaze: Gaze) -> Float[Array, "B K"]:
        """Its negative log likelihood where the scores alone would look, but for a constant.

        `E[(s − centre)²] / 2 width² + ln width`; smallest where centre and width are the gaze's.
        The gaze learns nothing from it.
        """
        gaze = jax.lax.stop_gradient(gaze)
        squares = gaze.square - 2 * self.centre * gaze.mean + jnp.square(self.centre)
        return squares / (2 * jnp.square(self.width)) + jnp.log(self.width)


def gaze(
    scores: Float[Array, "B K S *D"], positions: Float[Array, " S"], lengths: Int[Array, " B"]
) -> Gaze:
    """Of the softmax over the whole sentence; of scores by dimension, their mean."""
    scores = jnp.moveaxis(scores, 2, -1)
    inside = positions < lengths[:, None, None]
    if scores.ndim == 4:
        inside = inside[:, :, None]
    weights = jax.nn.softmax(scores, axis=-1, where=inside)
    moments = [(weights * positions**power).sum(-1) for power in (1, 2)]
    return Gaze(*(m.mean(-1) if m.ndim == 3 else m for m in moments))
