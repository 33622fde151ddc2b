"""A trace as a page's script reads it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fa_jax.decoding.forced import SpanTrace

DIGITS = 4
"""Behind the point, of the numbers in a page."""


def span_content(trace: SpanTrace) -> dict[str, Any]:
    """A text, its translation, how sure it is, and the vision span of each output step, as JSON has
    it.

    A step: the word, its probability, g(t), p_t, the window, the weights in it, and the words it
    could have been.
    """
    return {
        "translation": trace.translation,
        "confidence": _rounded(trace.confidence),
        "threshold": threshold_text(trace.threshold),
        "source": trace.source_tokens,
        "steps": [
            {
                "token": token,
                "probability": _rounded(np.exp(trace.log_probs[t])),
                "strength": _rounded(trace.strength[t]),
                "focus": _rounded(trace.focus[t]),
                "window": np.flatnonzero(trace.windows[t]).tolist(),
                "weights": _rounded(trace.weights[t][trace.windows[t]]),
                "alternatives": [
                    [word, _rounded(np.exp(log_prob))] for word, log_prob in trace.alternatives[t]
                ],
            }
            for t, token in enumerate(trace.target_tokens)
        ],
    }


def threshold_text(threshold: float) -> str:
    """τ as pages write it."""
    return "∞" if np.isinf(threshold) else f"{threshold:g}"


def _rounded(values: ArrayLike) -> float | list[float]:
    return np.round(np.asarray(values, np.float64), DIGITS).tolist()
