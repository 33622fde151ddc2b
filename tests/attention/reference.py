"""Flexible attention in float64 numpy, position by position, from the paper's equations."""

import numpy as np

import fa_jax
from fa_jax.attention.attention_config import name_of


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
    "dot": lambda p, q, h, i, s, d: q @ h,
    "general": lambda p, q, h, i, s, d: q @ (h @ p["memory_kernel"]),
    "concat": lambda p, q, h, i, s, d: p["vector"] @ tanh_layer(p, q, h),
    "location": lambda p, q, h, i, s, d: (q @ p["query_kernel"])[s],
    "feedback": lambda p, q, h, i, s, d: p["vector"] @ tanh_layer(p, q, h, i),
    "fine_grained": lambda p, q, h, i, s, d: tanh_layer(p, q, h, i) @ p["output_kernel"],
    "tensor": lambda p, q, h, i, s, d: (
        p["vector"]
        @ np.tanh(
            np.array([q @ p["tensor"][:, c] @ h for c in range(p["tensor"].shape[1])])
            + q @ p["query_kernel"]
            + h @ p["memory_kernel"]
            + p["bias"]
        )
    ),
    "recurrent": lambda p, q, h, i, s, d: (
        p["vector"]
        @ np.tanh(q @ p["query_kernel"] + h @ p["memory_kernel"] + d[s] @ p["dynamic_kernel"])
    ),
}


def remember(cell, dynamic, weights, positions, neighbours):
    """A gated recurrent unit at each of the positions; the others keep what they have."""

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    remembered = dynamic.copy()
    units = dynamic.shape[1]
    for s in positions:
        around = [
            weights[n] if 0 <= n < len(weights) else 0.0
            for n in range(s - neighbours, s + neighbours + 1)
        ]
        inputs = np.array(around) @ cell["input_kernel"] + cell["bias"]
        own = cell["recurrent_kernel"]
        update = sigmoid(inputs[:units] + dynamic[s] @ own[:, :units])
        reset = sigmoid(inputs[units : 2 * units] + dynamic[s] @ own[:, units : 2 * units])
        candidate = np.tanh(inputs[2 * units :] + (reset * dynamic[s]) @ own[:, 2 * units :])
        remembered[s] = (1 - update) * dynamic[s] + update * candidate
    return remembered


class Step:
    """What a span may ask for: one query of one sentence."""

    def __init__(self, params, config, query, feedback, focus, step, annotations, length, head):
        self.params, self.config, self.query, self.feedback = params, config, query, feedback
        self.focus, self.step, self.length, self.head = focus, step, length, head
        self.annotations = annotations

    def around(self, centre, chosen):
        """Chosen positions, and the one nearest to the centre."""
        nearest = min(max(round(centre), 0), self.length - 1)
        return [s for s in range(self.length) if chosen(s) or s == nearest]


def global_span(step, threshold):
    return range(step.length), {}


def local_m_span(step, threshold):
    half_width = step.config.span.half_width
    return step.around(step.step, lambda s: abs(s - step.step) <= half_width), {}


def local_p_span(step, threshold):
    p, half_width = step.params["position"], step.config.span.half_width
    share = 1 / (1 + np.exp(-(np.tanh(step.query @ p["kernel"]) @ p["vector"])))
    centre = step.length * share  # Eq. 10
    positions = step.around(centre, lambda s: abs(s - centre) <= half_width)
    width = half_width / 2
    return positions, {"factor": lambda s: np.exp(-((s - centre) ** 2) / (2 * width**2))}


def flexible_span(step, threshold):
    p = step.params["strength"]
    hidden = np.tanh(np.concatenate([step.query, step.feedback]) @ p["kernel"])
    g = 1 / (1 + np.exp(-(hidden @ p["vector"] + p["bias"])))

    def penalty(s):
        return g * (s - step.focus) ** 2 / (2 * step.config.span.sigma**2)

    positions = step.around(step.focus, lambda s: penalty(s) < threshold)
    return positions, {"bias": lambda s: -penalty(s), "strength": g}


def stop_probability(params, query, annotation):
    p = params["stop"]
    hidden = np.tanh(query @ p["query_kernel"] + annotation @ p["memory_kernel"] + p["bias"])
    logit = p["gain"] * p["vector"] @ hidden / np.linalg.norm(p["vector"]) + p["offset"]
    return 1 / (1 + np.exp(-logit))


def monotonic_span(step, threshold):
    place = int(step.head.argmax())
    while place < step.length - 1:
        if stop_probability(step.params, step.query, step.annotations[place]) > 0.5:
            break
        place += 1
    place = max(min(place, step.length - 1), 0)
    positions = range(max(0, place - step.config.span.chunk + 1), min(place + 1, step.length))
    return positions, {"head": np.eye(len(step.head))[place]}


def adaptive_span(step, threshold):
    p, ramp = step.params["extent"], step.config.span.ramp
    share = 1 / (1 + np.exp(-(np.tanh(step.query @ p["kernel"]) @ p["vector"] + p["bias"])))
    extent = step.length * share

    def mask(s):
        return min((ramp + extent - abs(s - step.focus)) / ramp, 1)

    positions = step.around(step.focus, lambda s: mask(s) > 0)
    return positions, {
        "bias": lambda s: np.log(mask(s)) if mask(s) > 0 else 0.0,
        "cost": step.config.span.price * extent,
    }


def none_span(step, threshold):
    return (), {"focus": step.focus}


SPANS = {
    "global": global_span,
    "local_m": local_m_span,
    "local_p": local_p_span,
    "flexible": flexible_span,
    "monotonic_chunkwise": monotonic_span,
    "adaptive": adaptive_span,
    "none": none_span,
}


def attend_by_name(
    params, config, query, feedback, focus, step, dynamic, head, annotations, length, threshold
):
    """One query of one sentence.

    context, mean weights, focus, strength, cost, what positions remember, head, window size.
    """
    size, weights = annotations.shape[1], np.zeros(annotations.shape)
    asked = Step(params, config, query, feedback, focus, step, annotations, length, head)
    positions, prior = SPANS[name_of(config.span, fa_jax.SPANS)](asked, threshold)
    rest = {"strength": 0.0, "cost": 0.0, "head": head} | prior
    rest = [rest["strength"], rest["cost"]], rest["head"]
    if not len(positions):
        nothing = np.zeros(size), weights.mean(1), prior.get("focus", 0.0)
        return *nothing, *rest[0], dynamic, rest[1], 0
    bias, factor = prior.get("bias", lambda s: 0.0), prior.get("factor", lambda s: 1.0)
    score = params["score"]
    equation = SCORES[name_of(config.score, fa_jax.SCORES)]
    exponents = {
        s: equation(score, query, annotations[s], feedback, s, dynamic) + bias(s) for s in positions
    }
    highest = np.max(list(exponents.values()), axis=0)
    total = sum(np.exp(e - highest) for e in exponents.values())
    for s, e in exponents.items():
        weights[s] = np.exp(e - highest) / total * factor(s)
    mean = weights.mean(1)
    if "cell" in score:
        dynamic = remember(score["cell"], dynamic, mean, positions, config.score.neighbours)
    context = (weights * annotations).sum(0)
    new_focus = mean @ np.arange(len(mean))
    return context, mean, new_focus, *rest[0], dynamic, rest[1], len(exponents)
