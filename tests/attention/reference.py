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


def tanh_layer(params, query, annotation, feedback=()):
    """`tanh(W [q; h̄_s; i_t])` from the parts of W."""
    parts = [query @ params["query_kernel"], annotation @ params["memory_kernel"]]
    if len(feedback):
        parts.append(feedback @ params["feedback_kernel"])
    return np.tanh(sum(parts))


SCORES = {
    "dot": lambda p, q, h, i, s: q @ h,
    "general": lambda p, q, h, i, s: q @ (h @ p["memory_kernel"]),
    "concat": lambda p, q, h, i, s: p["vector"] @ tanh_layer(p, q, h),
    "location": lambda p, q, h, i, s: (q @ p["query_kernel"])[s],
    "feedback": lambda p, q, h, i, s: p["vector"] @ tanh_layer(p, q, h, i),
    "fine_grained": lambda p, q, h, i, s: tanh_layer(p, q, h, i) @ p["output_kernel"],
    "tensor": lambda p, q, h, i, s: (
        p["vector"]
        @ np.tanh(
            np.array([q @ p["tensor"][:, c] @ h for c in range(p["tensor"].shape[1])])
            + q @ p["query_kernel"]
            + h @ p["memory_kernel"]
            + p["bias"]
        )
    ),
}


def global_span(params, query, feedback, focus, step, length, config, threshold):
    return range(length), lambda s: 0.0, lambda s: 1.0, 0.0


def around(centre, length, chosen):
    """Chosen positions, and the one nearest to the centre."""
    nearest = min(max(round(centre), 0), length - 1)
    return [s for s in range(length) if chosen(s) or s == nearest]


def local_m_span(params, query, feedback, focus, step, length, config, threshold):
    positions = around(step, length, lambda s: abs(s - step) <= config.half_width)
    return positions, lambda s: 0.0, lambda s: 1.0, 0.0


def local_p_span(params, query, feedback, focus, step, length, config, threshold):
    p = params["position"]
    centre = length / (1 + np.exp(-(np.tanh(query @ p["kernel"]) @ p["vector"])))  # Eq. 10
    positions = around(centre, length, lambda s: abs(s - centre) <= config.half_width)
    width = config.half_width / 2
    return positions, lambda s: 0.0, lambda s: np.exp(-((s - centre) ** 2) / (2 * width**2)), 0.0


def flexible_span(params, query, feedback, focus, step, length, config, threshold):
    p = params["strength"]
    hidden = np.tanh(np.concatenate([query, feedback]) @ p["kernel"])
    g = 1 / (1 + np.exp(-(hidden @ p["vector"] + p["bias"])))

    def penalty(s):
        return g * (s - focus) ** 2 / (2 * config.sigma**2)

    return around(focus, length, lambda s: penalty(s) < threshold), lambda s: -penalty(s), 1, g


SPANS = {
    "global": global_span,
    "local_m": local_m_span,
    "local_p": local_p_span,
    "flexible": flexible_span,
}


def attend_by_name(params, config, query, feedback, focus, step, annotations, length, threshold):
    """One query of one sentence; context, mean weights, focus, strength and window size."""
    size, weights = annotations.shape[1], np.zeros(annotations.shape)
    positions, bias, factor, strength = SPANS[config.span](
        params, query, feedback, focus, step, length, config, threshold
    )
    if length == 0:
        return np.zeros(size), weights.mean(1), 0.0, strength, 0
    exponents = {
        s: SCORES[config.score](params["score"], query, annotations[s], feedback, s) + bias(s)
        for s in positions
    }
    highest = np.max(list(exponents.values()), axis=0)
    total = sum(np.exp(e - highest) for e in exponents.values())
    for s, e in exponents.items():
        weights[s] = np.exp(e - highest) / total * (factor(s) if callable(factor) else factor)
    mean = weights.mean(1)
    context = (weights * annotations).sum(0)
    return context, mean, mean @ np.arange(len(mean)), strength, len(exponents)
