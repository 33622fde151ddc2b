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
    """The top layer's annotations, and of each layer the last state and cell of its last LSTM."""

    def read(lstm, words):
        hidden = cell = np.zeros(lstm["recurrent_kernel"].shape[0])
        states = []
        for word in words:
            hidden, cell = lstm_step(lstm, word, hidden, cell)
            states.append(hidden)
        return states, (hidden, cell)

    words, ends = embedded, []
    for layer in [params, *params.get("upper", [])]:
        columns = []
        if "forward" in layer:
            states, end = read(layer["forward"], words)
            columns.append(states)
        if "backward" in layer:
            states, end = read(layer["backward"], words[::-1])
            columns.append(states[::-1])
        words = np.array([np.concatenate(pair) for pair in zip(*columns, strict=True)])
        ends.append(end)
    return words, ends


def force(params, source, target, sigma, threshold, query="previous", begins=()):
    """Log probability, strength, focus and window of each target word.

    begins: where the source's second line and those behind it begin; behind an end of sentence
    attention starts from there.
    """
    begins = iter(begins)
    embedded = np.array([params["encoder"]["embedding"][word] for word in source])
    source_gate, target_gate = contextual_gates(params, embedded)
    annotations, ends = encode(params["encoder"], embedded * source_gate)
    decoder = params["decoder"]
    layers = [decoder, *decoder.get("upper", [])]
    states = []
    for layer, (hidden, cell) in zip(layers, ends, strict=True):
        if "start" in layer:
            hidden = np.tanh(hidden @ layer["start"]["kernel"])
            cell = np.zeros_like(hidden)
        states.append((hidden, cell))
    focus, fed_back, rows = 0.0, 1, []
    attentional = np.zeros_like(states[0][0])

    def look(hidden, feedback, focus):
        attention, length = decoder["attention"], len(source)
        found = attend(attention, hidden, feedback, focus, annotations, length, sigma, threshold)
        return found[0], found[2:]

    for word in target:
        feedback = x = decoder["embedding"][fed_back] * target_gate
        if fed_back == 2:
            focus = next(begins, focus + 1) - 1.0
        if query == "previous":
            context, found = look(states[-1][0], feedback, focus)
            x = np.concatenate([x, context])
        if decoder["lstm"]["input_kernel"].shape[0] > len(x):  # input feeding
            x = np.concatenate([x, attentional])
        for number, layer in enumerate(layers):
            states[number] = lstm_step(layer["lstm"], x, *states[number])
            x = states[number][0]
        output = x
        if query == "current":
            context, found = look(output, feedback, focus)
        focus, strength, window = found
        if "attentional" in decoder:  # Luong et al. 2015, Eq. 5
            attentional = np.concatenate([context, output]) @ decoder["attentional"]["kernel"]
            output = attentional = np.tanh(attentional)
        bottleneck = output @ decoder["bottleneck"]["kernel"] + decoder["bottleneck"]["bias"]
        logits = bottleneck @ decoder["output"]["kernel"] + decoder["output"]["bias"]
        highest = logits.max()
        log_prob = logits[word] - highest - np.log(np.exp(logits - highest).sum())
        rows.append((log_prob, strength, focus, window))
        fed_back = word
    return [np.array(column) for column in zip(*rows, strict=True)]
