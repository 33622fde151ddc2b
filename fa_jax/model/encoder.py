"""The LSTM encoder: in both directions (Bahdanau et al. 2015; Shu and Nakayama 2017, 5.1) or
in one (Luong et al. 2015), one layer or several."""

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray

from fa_jax.attention.params import Params
from fa_jax.attention.pieces import piece_of, pieces, with_piece
from fa_jax.config import ModelConfig
from fa_jax.model.dense import dense
from fa_jax.model.dropout import dropout, split_keys
from fa_jax.model.lstm import State, init_lstm, lstm_states, zero_state

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
    longest: Int[Array, ""] | None = None,
) -> tuple[Float[Array, "B S D"], list[LastState]]:
    """Annotations h̄_s, the top layer's states at each position, and each layer's last state.

    embedded: the words, padded to S. lengths: each sentence's own; padding reads nothing.
    dropout_rate, dropout_keys: between layers, in training, one key a sentence. longest: of the
    lengths; pieces behind it are not read (`pieces`). None: all are, at once.
    """
    inside = jnp.arange(len(embedded))[:, None] < lengths
    upper = params.get("upper", ())
    states, last = _read(params, embedded, inside, longest)
    ends = [last]
    between = split_keys(dropout_keys, 1 + len(upper))[1:]
    for layer, keys in zip(upper, between, strict=True):
        states, last = _read(layer, dropout(states, dropout_rate, keys), inside, longest)
        ends.append(last)
    return states.swapaxes(0, 1), ends


def _read(
    layer: Params,
    x: Float[Array, "S B I"],
    inside: Bool[Array, "S B"],
    longest: Int[Array, ""] | None,
) -> tuple[Float[Array, "S B D"], LastState]:
    """All directions advance together; the backward LSTM reads the reversed sentence."""
    names = [name for name in ORDERS if name in layer]
    kernels = jnp.stack([layer[name]["recurrent_kernel"] for name in names])
    start = zero_state((len(names), x.shape[1]), kernels.shape[1], x.dtype)

    def read(parts: list[tuple[Array, Array]], state: State) -> tuple[list[Array], State]:
        """The part of the words that each direction reads, and whether they are any."""
        inputs = [
            dense(part[ORDERS[name]], layer[name]["input_kernel"], layer[name]["bias"])
            for name, (part, _) in zip(names, parts, strict=True)
        ]
        here = [here[ORDERS[name]] for name, (_, here) in zip(names, parts, strict=True)]
        states, cells = lstm_states(
            kernels, jnp.stack(inputs, axis=1), jnp.stack(here, axis=1), state
        )
        found = [states[:, row][ORDERS[name]] for row, name in enumerate(names)]
        return found, (states[-1], cells)

    if longest is None:
        found, last = read([(x, inside)] * len(names), start)
    else:
        found, last = _from_both_ends(read, names, (x, inside), start, pieces(longest, len(x)))
    return jnp.concatenate(found, axis=-1), jax.tree.map(lambda leaf: leaf[-1], last)


def _from_both_ends(read, names, words, start, count):
    """Each direction from its own end."""
    nothing = [jnp.zeros((*words[1].shape, start[0].shape[-1]), start[0].dtype) for _ in names]

    def more(step: Int[Array, ""], so_far):
        found, state = so_far
        numbers = [step if name == "forward" else count - 1 - step for name in names]
        new, state = read([piece_of(words, number, axis=0) for number in numbers], state)
        found = [
            with_piece(all_, number, some, axis=0)
            for all_, number, some in zip(found, numbers, new, strict=True)
        ]
        return found, state

    return jax.lax.fori_loop(0, count, more, (nothing, start))
