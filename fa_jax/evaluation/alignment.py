"""Three-dimensional alignments, one weight a step, position and dimension, made flat.

T output steps, S source positions, D dimensions of the annotations; weights of a step and dimension
add up to 1 (Choi et al. 2018, Fine-Grained Attention Mechanism, section 5.2).
"""

import numpy as np
from jaxtyping import Float


def mean_over_dimensions(alignment: Float[np.ndarray, "T S D"]) -> Float[np.ndarray, "T S"]:
    """How strongly words are aligned: comparable with attention of one weight a position."""
    return alignment.mean(2)


def mean_over_steps(alignment: Float[np.ndarray, "T S D"]) -> Float[np.ndarray, "S D"]:
    """Which dimensions of each source word are read, whatever was written."""
    return alignment.mean(0)


def of_dimension(alignment: Float[np.ndarray, "T S D"], dimension: int) -> Float[np.ndarray, "T S"]:
    """What one dimension of the annotations, counted from 0, is read for.

    Raises:
      ValueError: there is no such dimension.
    """
    count = alignment.shape[2]
    if not 0 <= dimension < count:
        raise ValueError(f"dimension must be 0 to {count - 1}, got {dimension}")
    return alignment[:, :, dimension]
