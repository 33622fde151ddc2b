"""The LSTM encoder: in both directions (Bahdanau et al. 2015; Shu and Nakayama 2017, 5.1) or
in one (Luong et al. 2015), one layer or several."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray

from fa_jax.attention.position_chunks import chunk_of, chunks, with_chunk
from fa_jax.attention.step import Params
from fa_jax.config import ModelConfig
from fa_jax.model.dropout import dropout, split_keys
from fa_jax.model.lstm import State, init_lstm, lstm_states, zero_state
from fa_jax.model.product import dense

ORDERS = {"forward": slice(None), "backward": slice(None, None, -1)}
"""In which the LSTMs of a layer read a sentence."""


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
    config: ModelConfig,
    embedded: Float[Array, "S B E"],
    lengths: Int[Array, " B"],
    dropout_keys: Key[Array, " B"] | None,
    longest: Int[Array, ""] | None,
) -> tuple[Float[Array, "B S D"], list[State]]:
    """Annotations h̄_s, the top layer's states at each position, and each layer's last state, of
    its backward LSTM where it has one.

    embedded: the words, padded to S. lengths: each sentence's own; padding reads nothing.
    dropout_keys: in training, one a sentence, for what each layer reads. longest: of the lengths;
    chunks behind it are not read (`chunks`). None: all are, at once.
    """
    inside = jnp.arange(len(embedded))[:, None] < lengths[None]
    layers = [params, *params.get("upper", ())]
    between = split_keys(split_keys(dropout_keys, 2)[1], len(layers))[1:]
    states, ends = embedded, []
    for layer, keys in zip(layers, (dropout_keys, *between), strict=True):
        states, last = _read(layer, dropout(states, config.dropout, keys), inside, longest)
        ends.append(last)
    return states.swapaxes(0, 1), ends


def _read(
    layer: Params,
    x: Float[Array, "S B I"],
    inside: Bool[Array, "S B"],
    longest: Int[Array, ""] | None,
) -> tuple[Float[Array, "S B D"], State]:
    """All directions advance together; the backward LSTM reads the reversed sentence."""
    orders = {name: order for name, order in ORDERS.items() if name in layer}
    kernels = jnp.stack([layer[name]["recurrent_kernel"] for name in orders])
    start = zero_state((len(orders), x.shape[1]), kernels.shape[1], x.dtype)

    def read(words: Sequence[tuple[Array, Array]], state: State) -> tuple[list[Array], State]:
        """Hidden states. words: for each direction a part of x, and of inside."""
        gates, insides = [], []
        for (name, order), (x, inside) in zip(orders.items(), words, strict=True):
            gates.append(dense(x[order], layer[name]["input_kernel"], layer[name]["bias"]))
            insides.append(inside[order])
        gates, insides = (jnp.stack(each, axis=1) for each in (gates, insides))
        states, cells = lstm_states(kernels, gates, insides, state)
        hidden = [states[:, row][order] for row, order in enumerate(orders.values())]
        return hidden, (states[-1], cells)

    if longest is None:
        hidden, last = read([(x, inside)] * len(orders), start)
    else:
        count = chunks(longest, len(x))
        hidden, last = _read_chunks(read, list(orders), (x, inside), start, count)
    return jnp.concatenate(hidden, axis=-1), jax.tree.map(lambda leaf: leaf[-1], last)


def _read_chunks(read, directions, words, start, count):
    """The first chunks of the words, each direction from its own end."""
    unread = jnp.zeros((*words[1].shape, start[0].shape[-1]), start[0].dtype)

    def read_chunk(step: Int[Array, ""], so_far):
        hidden, state = so_far
        numbers = [step if name == "forward" else count - 1 - step for name in directions]
        chunk, state = read([chunk_of(words, number, axis=0) for number in numbers], state)
        each = zip(hidden, numbers, chunk, strict=True)
        return [with_chunk(*own, axis=0) for own in each], state

    return jax.lax.fori_loop(0, count, read_chunk, ([unread] * len(directions), start))
