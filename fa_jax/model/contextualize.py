"""Contextualised embeddings: gated by what the whole source sentence is about.

`c = mean_s NN(x_s)`; each embedding, source and target, is multiplied by `sigmoid(W c + b)`
(Choi et al. 2017; Choi et al. 2018, 4.3).
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from fa_jax.attention.position_chunks import in_chunks
from fa_jax.attention.step import Params
from fa_jax.model.product import dense, init_dense

OPEN = 2.0
"""Bias of a gate at first: it lets 0.88 of an embedding through."""


def init_contextualize(key: PRNGKeyArray, size: int) -> Params:
    """NN, one layer of tanh, and a gate for each side's embeddings. size: E of both sides."""
    keys = jax.random.split(key, 3)
    return {
        "network": init_dense(keys[0], size, size),
        "source_gate": init_dense(keys[1], size, size, OPEN),
        "target_gate": init_dense(keys[2], size, size, OPEN),
    }


def sentence_context(
    params: Params,
    embedded: Float[Array, "S B E"],
    lengths: Int[Array, " B"],
    longest: Int[Array, ""] | None = None,
) -> Float[Array, "B E"]:
    """c, the mean of NN over a sentence's own words; of an empty sentence 0. longest: as of
    `encode`."""
    network = params["network"]
    read = in_chunks(lambda x: jnp.tanh(dense(x, **network)), embedded.swapaxes(0, 1), longest)
    inside = jnp.arange(len(embedded))[None] < lengths[:, None]
    total = jnp.where(inside[..., None], read, 0).sum(1)
    return total / jnp.maximum(lengths, 1)[:, None].astype(total.dtype)


def gate(params: Params, context: Float[Array, "B E"]) -> Float[Array, "B E"]:
    """How much of each dimension passes. params: of one side's gate."""
    return jax.nn.sigmoid(dense(context, **params))
