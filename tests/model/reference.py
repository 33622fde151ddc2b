"""The whole translator in float64 numpy, one unpadded sentence pair, from the equations."""

import numpy as np

from tests.attention.reference import attend


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(params, x, hidden, cell):
    gates = x @ params["input_kernel"] + hidden @ params["recurrent_kernel"] + params["bias"]
    i, f, g, o = np.split(gates, 4)
    cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(cell), cell


def contextual_gates(params, embedded):
    """Source and target gate of Choi et al. 2017; 1 where embeddings pass as they are."""
    if "context" not in params:
        return 1.0, 1.0
    p = params["context"]
    read = [np.tanh(x @ p["network"]["kernel"] + p["network"]["bias"]) for x in embedded]
    context = np.mean(read, axis=0)
    return (
        sigmoid(context @ p[name]["kernel"] + p[name]["bias"])
        for name in ("source_gate", "target_gate")
    )


def encode(params, embedded):
    def read(lstm, words):
        hidden = cell = np.zeros(lstm["recurrent_kernel"].shape[0])
        states = []
        for word in words:
            hidden, cell = lstm_step(lstm, word, hidden, cell)
            states.append(hidden)
        return states

    forward = read(params["forward"], embedded)
    backward = read(params["backward"], embedded[::-1])[::-1]
    return np.array([np.concatenate(pair) for pair in zip(forward, backward, strict=True)])


def force(params, source, target, sigma, threshold):
    """Log probability, strength, focus and window of each target word."""
    embedded = np.array([params["encoder"]["embedding"][word] for word in source])
    source_gate, target_gate = contextual_gates(params, embedded)
    annotations = encode(params["encoder"], embedded * source_gate)
    decoder = params["decoder"]
    size = decoder["start"]["kernel"].shape[0]
    hidden = np.tanh(annotations[0, -size:] @ decoder["start"]["kernel"])
    cell, focus, fed_back, rows = np.zeros_like(hidden), 0.0, 1, []
    attentional = np.zeros_like(hidden)
    for word in target:
        feedback = decoder["embedding"][fed_back] * target_gate
        context, _, focus, strength, window = attend(
            decoder["attention"],
            hidden,
            feedback,
            focus,
            annotations,
            len(source),
            sigma,
            threshold,
        )
        fed = [attentional] if "attentional" in decoder else []
        x = np.concatenate([feedback, context, *fed])
        hidden, cell = lstm_step(decoder["lstm"], x, hidden, cell)
        output = hidden
        if fed:  # Luong et al. 2015, Eq. 5
            attentional = np.concatenate([context, hidden]) @ decoder["attentional"]["kernel"]
            output = attentional = np.tanh(attentional)
        bottleneck = output @ decoder["bottleneck"]["kernel"] + decoder["bottleneck"]["bias"]
        logits = bottleneck @ decoder["output"]["kernel"] + decoder["output"]["bias"]
        highest = logits.max()
        log_prob = logits[word] - highest - np.log(np.exp(logits - highest).sum())
        rows.append((log_prob, strength, focus, window))
        fed_back = word
    return [np.array(column) for column in zip(*rows, strict=True)]
