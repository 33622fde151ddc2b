"""Layers as pure functions: linear ones, dropout, and the gates of contextualised embeddings.

Products are as precise as their inputs, which may be bfloat16. Dropout is drawn sentence by
sentence: no result depends on a neighbour. Contextualised embeddings are gated by what the whole
source sentence is about: `c = mean_s NN(x_s)`; each embedding, source and target, is multiplied by
`sigmoid(W c + b)` (Choi et al. 2017; Choi et al. 2018, 4.3).
"""

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

from fa_jax.attention.params import Params

OPEN = 2.0
"""Bias of a gate at first: it lets 0.88 of an embedding through."""


def init_dense(key: PRNGKeyArray, input_size: int, size: int, bias: float = 0.0) -> Params:
    """A layer's kernel [I, J], after Glorot, and bias [J], which starts as given."""
    kernel = initializers.glorot_uniform()(key, (input_size, size))
    return {"kernel": kernel, "bias": jnp.full(size, bias)}


def dense(
    x: Float[Array, "*N I"],
    kernel: Float[Array, "I J"],
    bias: Float[Array, " J"] | float = 0.0,
    dtype: DTypeLike | None = None,
) -> Float[Array, "*N J"]:
    """`x · kernel + bias`, from factors as precise as x. dtype: of the result; None: that of x.

    On a CPU the gradient of a flat product is twice as fast.
    """
    dtype = dtype or x.dtype
    flat, kernel = x.reshape(-1, x.shape[-1]), kernel.astype(x.dtype)
    sums = jnp.matmul(flat, kernel, preferred_element_type=dtype) + bias
    return sums.astype(dtype).reshape(*x.shape[:-1], -1)


def contract(axes: str, x: Float[Array, "..."], y: Float[Array, "..."]) -> Float[Array, "..."]:
    """`einsum` of two factors of one precision, summed in float32 at least."""
    return jnp.einsum(axes, x, y, preferred_element_type=jnp.promote_types(x.dtype, jnp.float32))


def dropout(
    x: Float[Array, "T B U"], rate: float, keys: Key[Array, " B"] | None
) -> Float[Array, "T B U"]:
    """Zeroes a share of the units, `rate`, and scales the others up; no keys: leaves x as it is.

    keys: one a sentence, which alone decides what is zeroed at all its T positions.
    """
    if keys is None or rate == 0:
        return x
    steps, _, units = x.shape
    keep = jax.vmap(lambda key: jax.random.bernoulli(key, 1 - rate, (steps, units)), out_axes=1)
    return jnp.where(keep(keys), x / (1 - rate), 0)


def split_keys(keys: Key[Array, " B"] | None, count: int) -> tuple[Key[Array, " B"] | None, ...]:
    """Independent keys for several layers, one a sentence each."""
    if keys is None:
        return (None,) * count
    return tuple(jax.vmap(lambda key: jax.random.split(key, count), out_axes=1)(keys))


def init_contextualize(key: PRNGKeyArray, size: int) -> Params:
    """NN, one layer of tanh, and a gate for each side's embeddings. size: E of both sides."""
    keys = jax.random.split(key, 3)
    return {
        "network": init_dense(keys[0], size, size),
        "source_gate": init_dense(keys[1], size, size, OPEN),
        "target_gate": init_dense(keys[2], size, size, OPEN),
    }


def sentence_context(
    params: Params, embedded: Float[Array, "S B E"], lengths: Int[Array, " B"]
) -> Float[Array, "B E"]:
    """c, the mean of NN over a sentence's own words; of an empty sentence 0."""
    read = jnp.tanh(dense(embedded, **params["network"]))
    inside = jnp.arange(len(embedded))[:, None] < lengths
    total = jnp.where(inside[..., None], read, 0).sum(0)
    return total / jnp.maximum(lengths, 1)[:, None].astype(total.dtype)
