"""Contextualised embeddings: gated by what the whole source sentence is about.

`c = mean_s NN(x_s)`; each embedding, source and target, is multiplied by `sigmoid(W c + b)`
(Choi et al. 2017; FG 4.3).
"""

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Float, Int, PRNGKeyArray

from fa_jax.attention.params import Params
from fa_jax.model.dense import dense

OPEN = 2.0
"""Bias of a gate at first: it lets 0.88 of an embedding through."""


def init_contextualize(key: PRNGKeyArray, size: int) -> Params:
    """NN, one layer of tanh, and a gate for each side's embeddings."""

    def layer(key: PRNGKeyArray, bias: float) -> Params:
        kernel = initializers.glorot_uniform()(key, (size, size))
        return {"kernel": kernel, "bias": jnp.full(size, bias)}

    keys = jax.random.split(key, 3)
    biases = {"network": 0.0, "source_gate": OPEN, "target_gate": OPEN}
    return {name: layer(k, b) for k, (name, b) in zip(keys, biases.items(), strict=True)}


def sentence_context(
    params: Params, embedded: Float[Array, "S B E"], lengths: Int[Array, " B"]
) -> Float[Array, "B E"]:
    """The mean of NN over a sentence's own words."""
    network = params["network"]
    read = jnp.tanh(dense(embedded, network["kernel"], network["bias"]))
    inside = jnp.arange(len(embedded))[:, None] < lengths
    total = jnp.where(inside[..., None], read, 0).sum(0)
    return total / jnp.maximum(lengths, 1)[:, None].astype(total.dtype)


def gate(params: Params, context: Float[Array, "B E"]) -> Float[Array, "B E"]:
    """How much of each dimension passes. params: of one side's gate."""
    return jax.nn.sigmoid(dense(context, params["kernel"], params["bias"]))
