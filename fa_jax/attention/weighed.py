"""What both ways of computing a step come to."""

from flax import struct
from jaxtyping import Array, Float, PyTree


@struct.dataclass
class Weighed:
    """context: c_t. focus: p_t. state: the score's, for the next step.

    weights, by_dimension: a_t; None where no details were asked for, or the score has one weight
    a position.
    """

    context: Float[Array, "B K D"]
    focus: Float[Array, "B K"]
    state: PyTree
    weights: Float[Array, "B K S"] | None
    by_dimension: Float[Array, "B K S D"] | None
