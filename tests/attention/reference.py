"""Flexible attention in float64 numpy, position by position, from the paper's equations."""

import numpy as np


def attend(params, query, feedback, focus, annotations, length, sigma, threshold):
    """One query of one sentence; returns context, weights, focus, strength and window size."""
    size = len(query)
    score, strength = params["score"], params["strength"]
    joined = np.concatenate([query, feedback])
    hidden = np.tanh(joined @ strength["kernel"])
    g = 1 / (1 + np.exp(-(hidden @ strength["vector"] + strength["bias"])))  # Eq. 8

    weights = np.zeros(len(annotations))
    if length == 0:
        return np.zeros(annotations.shape[1]), weights, 0.0, g, 0
    nearest = min(max(round(focus), 0), length - 1)
    exponents = {}
    for s in range(length):
        penalty = g * (s - focus) ** 2 / (2 * sigma**2)  # Eqs. 5, 6
        if penalty < threshold or s == nearest:  # 3.1
            kernel = np.concatenate([score["query_kernel"], score["memory_kernel"]])
            pair = np.concatenate([query, annotations[s]])
            exponents[s] = score["vector"] @ np.tanh(pair @ kernel) - penalty  # Eq. 3
    highest = max(exponents.values())
    total = sum(np.exp(e - highest) for e in exponents.values())
    for s, e in exponents.items():
        weights[s] = np.exp(e - highest) / total  # Eq. 7
    context = sum(weights[s] * annotations[s] for s in range(length))  # Eq. 1
    new_focus = sum(weights[s] * s for s in range(length))  # Eq. 4
    assert size == score["query_kernel"].shape[0]
    return context, weights, new_focus, g, len(exponents)


def attend_all(params, query, feedback, focus, annotations, lengths, sigma, threshold):
    """A batch, row by row; stacked results in the order of the output's fields."""
    rows = [
        attend(params, *row, sigma, threshold)
        for row in zip(query, feedback, focus, annotations, lengths, strict=True)
    ]
    return [np.stack(column) for column in zip(*rows, strict=True)]
