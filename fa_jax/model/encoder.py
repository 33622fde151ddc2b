"""The bidirectional LSTM encoder (Bahdanau et al. 2015; Shu and Nakayama 2017, section 5.1)."""

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Float, Int, PRNGKeyArray

from fa_jax.attention.params import Params
from fa_jax.config import ModelConfig
from fa_jax.model.dense import dense
from fa_jax.model.lstm import init_lstm, lstm_states


def init_encoder(key: PRNGKeyArray, config: ModelConfig, vocabulary_size: int) -> Params:
    """Embeddings and both LSTMs, float32. vocabulary_size: of the source."""
    embedding_key, forward_key, backward_key = jax.random.split(key, 3)
    size = config.embedding_size
    return {
        "embedding": initializers.normal(size**-0.5)(embedding_key, (vocabulary_size, size)),
        "forward": init_lstm(forward_key, size, config.encoder_size),
        "backward": init_lstm(backward_key, size, config.encoder_size),
    }


def encode(
    params: Params, embedded: Float[Array, "S B E"], lengths: Int[Array, " B"]
) -> Float[Array, "B S D"]:
    """Annotations h̄_s: forward and backward state at each position, D = 2 · encoder_size.

    embedded: the words, padded to S. lengths: each sentence's own; padding reads nothing.
    """
    inside = jnp.arange(len(embedded))[:, None] < lengths
    # The backward LSTM reads the reversed sentence; both advance in one scan.
    both = (params["forward"], embedded), (params["backward"], embedded[::-1])
    inputs = [dense(read, lstm["input_kernel"], lstm["bias"]) for lstm, read in both]
    states = lstm_states(
        jnp.stack([lstm["recurrent_kernel"] for lstm, _ in both]),
        jnp.stack(inputs, axis=1),
        jnp.stack([inside, inside[::-1]], axis=1),
    )
    return jnp.concatenate([states[:, 0], states[::-1, 1]], axis=-1).swapaxes(0, 1)
