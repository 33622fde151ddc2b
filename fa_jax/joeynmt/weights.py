"""JoeyNMT's weights by our names. PyTorch has a layer's kernel as [outputs, inputs]."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from fa_jax.config import ModelConfig
from fa_jax.model.encoder_decoder import Params

Weights = Mapping[str, Any]
Orders = Mapping[str, Sequence[int]]
DIRECTIONS = {"forward": "", "backward": "_reverse"}


def parameters(
    weights: Weights, config: ModelConfig, orders: Orders, scales: Mapping[str, float]
) -> Params:
    """All parameters of the model.

    weights: `model_state`. orders: of "source" and "target", the number that each word of our
    vocabulary has in JoeyNMT's. scales: what embeddings are multiplied by when they are read.

    Raises:
      KeyError: a weight is missing.
    """
    embeddings = {"source": "src_embed.lut.weight", "target": "trg_embed.lut.weight"}
    embedded = {
        side: _array(weights, name)[np.array(orders[side])] * np.float32(scales[side])
        for side, name in embeddings.items()
    }
    encoder = [
        {name: _lstm(weights, f"encoder.rnn.*_l{layer}{end}") for name, end in DIRECTIONS.items()}
        for layer in range(config.layers)
    ]
    decoder = [
        {"lstm": _lstm(weights, f"decoder.rnn.*_l{layer}")} for layer in range(config.layers)
    ]
    return {
        "encoder": {"embedding": embedded["source"], **_layers(encoder)},
        "decoder": {
            "embedding": embedded["target"],
            "attention": {"score": _score(weights)},
            **_layers(decoder),
            **_bridge(weights, config),
            "attentional": _attentional(weights, config),
            **_output(_array(weights, "decoder.output_layer.weight")[np.array(orders["target"])]),
        },
    }


def _array(weights: Weights, name: str) -> Float[np.ndarray, "..."]:
    return np.asarray(weights[name], np.float32)


def _layers(layers: list[Params]) -> Params:
    return {**layers[0], **({"upper": layers[1:]} if len(layers) > 1 else {})}


def _lstm(weights: Weights, name: str) -> Params:
    """The gates stand in the same order: input, forget, candidate, output."""
    of = {part: _array(weights, name.replace("*", part)) for part in PARTS}
    return {
        "input_kernel": of["weight_ih"].T,
        "recurrent_kernel": of["weight_hh"].T,
        "bias": of["bias_ih"] + of["bias_hh"],
    }


PARTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def _score(weights: Weights) -> Params:
    keys = {"memory_kernel": _array(weights, "decoder.attention.key_layer.weight").T}
    if "decoder.attention.query_layer.weight" not in weights:
        return keys
    return {
        **keys,
        "query_kernel": _array(weights, "decoder.attention.query_layer.weight").T,
        "vector": _array(weights, "decoder.attention.energy_layer.weight")[0],
    }


def _bridge(weights: Weights, config: ModelConfig) -> Params:
    return {"bridge": _dense(weights, "decoder.bridge_layer")} if config.start == "bridge" else {}


def _attentional(weights: Weights, config: ModelConfig) -> Params:
    """It reads [h_t; c_t] there, [c_t; h_t] here."""
    layer = _dense(weights, "decoder.att_vector_layer")
    kernel = np.roll(layer["kernel"], -config.decoder_size, axis=0)
    return {"kernel": kernel, "bias": layer["bias"]}


def _output(kernel: Float[np.ndarray, "V H"]) -> Params:
    """JoeyNMT has no bottleneck: ours hands on what it reads."""
    words, size = kernel.shape
    nothing = np.zeros(size, np.float32)
    return {
        "bottleneck": {"kernel": np.eye(size, dtype=np.float32), "bias": nothing},
        "output": {"kernel": kernel.T, "bias": np.zeros(words, np.float32)},
    }


def _dense(weights: Weights, name: str) -> Params:
    kernel = _array(weights, f"{name}.weight").T
    return {"kernel": kernel, "bias": _array(weights, f"{name}.bias")}
