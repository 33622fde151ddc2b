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


def encode(params, source):
    def read(lstm, words):
        hidden = cell = np.zeros(lstm["recurrent_kernel"].shape[0])
        states = []
        for word in words:
            hidden, cell = lstm_step(lstm, params["embedding"][word], hidden, cell)
            states.append(hidden)
        return states

    forward = read(params["forward"], source)
    backward = read(params["backward"], source[::-1])[::-1]
    return np.array([np.concatenate(pair) for pair in zip(forward, backward, strict=True)])


def force(params, source, target, sigma, threshold):
    """Log probability, strength, focus and window of each target word."""
    annotations = encode(params["encoder"], source)
    decoder = params["decoder"]
    size = decoder["start"]["kernel"].shape[0]
    hidden = np.tanh(annotations[0, -size:] @ decoder["start"]["kernel"])
    cell, focus, fed_back, rows = np.zeros_like(hidden), 0.0, 1, []
    for word in target:
        feedback = decoder["embedding"][fed_back]
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
        x = np.concatenate([feedback, context])
        hidden, cell = lstm_step(decoder["lstm"], x, hidden, cell)
        bottleneck = hidden @ decoder["bottleneck"]["kernel"] + decoder["bottleneck"]["bias"]
        logits = bottleneck @ decoder["output"]["kernel"] + decoder["output"]["bias"]
        highest = logits.max()
        log_prob = logits[word] - highest - np.log(np.exp(logits - highest).sum())
        rows.append((log_prob, strength, focus, window))
        fed_back = word
    return [np.array(column) for column in zip(*rows, strict=True)]
