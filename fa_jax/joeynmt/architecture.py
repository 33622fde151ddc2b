"""JoeyNMT's settings as ours, and where the architectures do not agree."""

from typing import Any

from fa_jax.attention import AttentionConfig
from fa_jax.config import ModelConfig
from fa_jax.errors import UserError

SCORES = {"bahdanau": "concat", "luong": "general"}
"""JoeyNMT's attentions, and the same scores here."""
DEFAULTS = {
    "encoder": {"type": "recurrent", "rnn_type": "gru", "num_layers": 1, "bidirectional": True},
    "decoder": {
        "type": "transformer",
        "rnn_type": "gru",
        "num_layers": 1,
        "attention": "bahdanau",
        "init_hidden": "bridge",
        "input_feeding": True,
        "activation": "tanh",
    },
}
"""What JoeyNMT 2.3 takes where a setting is not there."""
Json = dict[str, Any]


def model_config(settings: Json) -> ModelConfig:
    """The model that JoeyNMT's config describes.

    settings: of its section `model`.

    Raises:
      UserError: it cannot be had here; the message says each difference.
    """
    encoder, decoder = (DEFAULTS[side] | settings[side] for side in DEFAULTS)
    if different := differences(encoder, decoder):
        raise UserError(
            "this model cannot be had in fa_jax as it is, and nothing was written:\n"
            + "\n".join(f"- {text}" for text in different)
        )
    return ModelConfig(
        embedding_size=encoder["embeddings"]["embedding_dim"],
        encoder_size=encoder["hidden_size"],
        decoder_size=decoder["hidden_size"],
        attention_size=decoder["hidden_size"],
        bottleneck_size=decoder["hidden_size"],
        layers=decoder["num_layers"],
        start="bridge" if decoder["init_hidden"] == "bridge" else "zeros",
        query="current",
        attention=AttentionConfig(SCORES[decoder["attention"]], "global"),
        input_feeding=decoder["input_feeding"],
        attentional_bias=True,
        dropout=max(float(side.get("dropout", 0.0)) for side in (encoder, decoder)),
    )


def differences(encoder: Json, decoder: Json) -> list[str]:
    """What JoeyNMT's model has and ours cannot have, a sentence each."""
    sides = {"encoder": encoder, "decoder": decoder}
    found = [
        f"its {name} is a {side['type']}; fa_jax has recurrent models alone"
        for name, side in sides.items()
        if side["type"] != "recurrent"
    ]
    if found:
        return found
    found += [
        f"its {name} has GRUs (rnn_type: {side['rnn_type']}); fa_jax has LSTMs alone"
        for name, side in sides.items()
        if side["rnn_type"] != "lstm"
    ]
    if not encoder["bidirectional"]:
        found.append("its encoder reads forward alone; JoeyNMT's own decoder cannot start from it")
    layers = [side["num_layers"] for side in sides.values()]
    if layers[0] != layers[1]:
        found.append(
            f"its encoder has {layers[0]} layers, its decoder {layers[1]}; here both have as many"
        )
    sizes = [side["embeddings"]["embedding_dim"] for side in sides.values()]
    if sizes[0] != sizes[1]:
        found.append(f"its embeddings are of sizes {sizes[0]} and {sizes[1]}; here of one size")
    if decoder["attention"] not in SCORES:
        found.append(f"its attention is {decoder['attention']!r}; known are {', '.join(SCORES)}")
    if decoder["init_hidden"] == "last":
        found.append(
            "its decoder starts from the encoder's last state as it is (init_hidden: last); here "
            "it starts through a bridge or from zeros"
        )
    if decoder["activation"] != "tanh":
        found.append(f"its decoder's activation is {decoder['activation']}; here it is tanh")
    return found
