"""What a span pays for its width, so that windows have the share of the source that was ordered.

A constraint with its multiplier, as in GECO (Rezende and Viola 2018): the price rises as long as
windows are wider than ordered. All positions count alike. A batch of short sentences has wide
windows by nature, and few positions.
"""

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float

LATELY = 0.02
"""Share of the newest batch in what is counted."""
TOWARDS_ORDER = 0.02
"""How far a step moves the price, as a power of what the windows are too wide by: strengths are
slow to follow it."""
PRICES = 0.01, 100.0
"""An order that cannot be met does not run away with the price."""


@struct.dataclass
class Price:
    """Nats for the logarithm of a span's width; at 1 a span is as wide as what attention looks at.

    scored, positions: averages of late batches: positions that their windows held, and that there
    were.
    """

    nats: Float[Array, ""]
    scored: Float[Array, ""]
    positions: Float[Array, ""]

    @classmethod
    def first(cls) -> "Price":
        """Before anything was counted."""
        return cls(jnp.ones(()), jnp.zeros(()), jnp.zeros(()))

    def after(self, scored: Float[Array, ""], positions: Float[Array, ""], order: float) -> "Price":
        """With one batch more. order: the share of the positions that windows should hold."""
        scored = self.scored + LATELY * (scored - self.scored)
        positions = self.positions + LATELY * (positions - self.positions)
        share = jnp.maximum(scored, 1e-6) / jnp.maximum(positions, 1e-6)
        nats = jnp.clip(self.nats * (share / order) ** TOWARDS_ORDER, *PRICES)
        return Price(nats, scored, positions)
