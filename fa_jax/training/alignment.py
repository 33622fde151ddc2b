"""Whether attention knows where to look, and how much it is helped as long as it does not.

Attention that reads a text moves through a sentence step by step, and looks at all of it in the
end. Where it looks at a step is compared with an even walk through the sentence: the variance of
the places, in variances of the walk's.
"""

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float

ALIGNED = 0.25
"""Attention that knows where to look moves at least so far. Between languages of another word order
good attention moves little more."""
COVERED = 0.5
"""Attention that has not lost its way covers at least so much: good attention 0.7 and more once it
moves, attention that is caught about one place less than 0.3. Attention that covers this much is
not led, however little it moves: that would keep it from learning another word order."""
LATELY = 0.02
"""Share of the newest batch in the averages."""


@struct.dataclass
class Alignment:
    """Averages of late batches; at 1 attention is an even walk from a sentence's first token to its
    last.

    moved: variance of the mean place that a step looks at. covered: variance of all places that a
    sentence's steps look at.
    """

    moved: Float[Array, ""]
    covered: Float[Array, ""]

    @classmethod
    def first(cls) -> "Alignment":
        """Before a training: it looks at all places, whatever the step."""
        return cls(jnp.zeros(()), jnp.ones(()))

    @classmethod
    def learnt(cls) -> "Alignment":
        """Of attention that knows where to look."""
        return cls(jnp.ones(()), jnp.ones(()))

    def after(
        self, moved: Float[Array, ""], covered: Float[Array, ""], walked: Float[Array, ""]
    ) -> "Alignment":
        """With one batch more: sums of its sentences' variances, and of a walk's. A batch without a
        walk says nothing."""

        def average(before: Float[Array, ""], now: Float[Array, ""]) -> Float[Array, ""]:
            newest = now / jnp.maximum(walked, 1e-6)
            return jnp.where(walked > 0, before + LATELY * (newest - before), before)

        return Alignment(average(self.moved, moved), average(self.covered, covered))

    @property
    def missing(self) -> Float[Array, ""]:
        """How far it is from knowing where to look; 0: not at all, 1: it knows nothing."""
        return jnp.maximum(1 - self.moved / ALIGNED, self.lost)

    @property
    def lost(self) -> Float[Array, ""]:
        """How far it has lost its way, and is led; 0: not at all, 1: it looks at one place."""
        return jnp.maximum(1 - self.covered / COVERED, 0)
