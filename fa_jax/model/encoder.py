"""The LSTM encoder: in both directions (Bahdanau et al. 2015; Shu and Nakayama 2017, 5.1) or
in one (Luong et al. 2015), one layer or several."""

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray

from fa_jax.attention.params import Params
from fa_jax.config import ModelConfig
from fa_jax.model.dense import dense
from fa_jax.model.dropout import dropout, split_keys
from fa_jax.model.lstm import init_lstm, lstm_states

ORDERS = {"forward": slice(None), "backward": slice(None, None, -1)}
"""In which the LSTMs of a layer read a sentence."""
LastState = tuple[Float[Array, "B N"], Float[Array, "B N"]]
"""Hidden state and cell of a layer's LSTM that reads last: backward, where there is one."""


def init_encoder(key: PRNGKeyArray, config: ModelConfig, vocabulary_size: int) -> Params:
    """Embeddings and the LSTMs, float32. vocabulary_size: of the source.

    The first layer's LSTMs stand beside the embeddings, those of the others in "upper".
    """
    embedding_key, *keys = jax.random.split(key, 1 + 2 * config.layers)
    size = config.embedding_size
    sizes = [size, *[config.annotation_size] * (config.layers - 1)]
    first, *upper = (
        _init_layer(keys[2 * layer : 2 * layer + 2], config, size)
        for layer, size in enumerate(sizes)
    )
    embedding = initializers.normal(size**-0.5)(embedding_key, (vocabulary_size, size))
    return {"embedding": embedding, **first, **({"upper": upper} if upper else {})}


def _init_layer(keys, config: ModelConfig, input_size: int) -> Params:
    return {
        direction: init_lstm(key, input_size, config.encoder_size)
        for direction, key in zip(ORDERS, keys, strict=True)
        if config.directions in ("both", direction)
    }


def encode(
    params: Params,
    embedded: Float[Array, "S B E"],
    lengths: Int[Array, " B"],
    dropout_rate: float = 0.0,
    dropout_keys: Key[Array, " B"] | None = None,
) -> tuple[Float[Array, "B S D"], list[LastState]]:
    """Annotations h̄_s, the top layer's states at each position, and each layer's last state.

    embedded: the words, padded to S. lengths: each sentence's own; padding reads nothing.
    dropout_rate, dropout_keys: between layers, in training, one key a sentence.
    """
    inside = jnp.arange(len(embedded))[:, None] < lengths
    upper = params.get("upper", ())
    states, last = _read(params, embedded, inside)
    ends = [last]
    between = split_keys(dropout_keys, 1 + len(upper))[1:]
    for layer, keys in zip(upper, between, strict=True):
        states, last = _read(layer, dropout(states, dropout_rate, keys), inside)
        ends.append(last)
    return states.swapaxes(0, 1), ends


def _read(
    layer: Params, x: Float[Array, "S B I"], inside: Bool[Array, "S B"]
) -> tuple[Float[Array, "S B D"], LastState]:
    """All directions advance in one scan; the backward LSTM reads the reversed sentence."""
    lstms = [(layer[name], order) for name, order in ORDERS.items() if name in layer]
    states, cells = lstm_states(
        jnp.stack([lstm["recurrent_kernel"] for lstm, _ in lstms]),
        jnp.stack(
            [dense(x[order], lstm["input_kernel"], lstm["bias"]) for lstm, order in lstms], axis=1
        ),
        jnp.stack([inside[order] for _, order in lstms], axis=1),
    )
    found = [states[:, number][order] for number, (_, order) in enumerate(lstms)]
    return jnp.concatenate(found, axis=-1), (states[-1, -1], cells[-1])
