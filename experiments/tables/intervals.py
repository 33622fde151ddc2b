"""What a few trainings that differ in their seed say of their mean: Student's t."""

import numpy as np
from jaxtyping import Float
from scipy import stats

Differences = Float[np.ndarray, " seeds"]


def interval(differences: Differences) -> tuple[float, float]:
    """Of their mean, 95%."""
    spread = {"loc": differences.mean(), "scale": stats.sem(differences)}
    return stats.t.interval(0.95, len(differences) - 1, **spread)


def mean_and_interval(differences: Differences) -> str:
    """`-0.76 (95%: -2.14 to +0.62)`."""
    low, high = interval(differences)
    return f"{differences.mean():+.2f} (95%: {low:+.2f} to {high:+.2f})"
