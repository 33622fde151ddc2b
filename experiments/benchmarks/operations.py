"""Floating-point operations of a model's products, two for each multiply and add, and at best."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array

from fa_jax.config import ModelConfig

PRODUCT = 2048


class Operations(NamedTuple):
    """Of the forward pass. read: a source word, its keys included. feed_back: a target word that is
    fed back. write: all else of a step. score: a position at a step."""

    read: float
    feed_back: float
    write: float
    score: float


def operations(config: ModelConfig, vocabulary: int) -> Operations:
    """vocabulary: words of the target."""
    e, n, h = config.embedding_size, config.encoder_size, config.decoder_size
    a, d, f = config.attention_size, config.annotation_size, config.bottleneck_size
    upper = config.layers - 1
    encoder = e + upper * d + config.layers * n  # by the LSTMs of one direction
    lstms = h + (d if config.query == "previous" else 0) + upper * 2 * h
    written = h * f + f * vocabulary
    if config.input_feeding:
        lstms += h
    if config.writes_attentional:
        written += (d + h) * h
    products = Operations(
        read=d * encoder * 4 + d * a,
        feed_back=e * (4 * h + a),
        write=lstms * 4 * h + 2 * h * a + written,  # attention reads the query for scores and g
        score=a + d,  # and the position's part of the context
    )
    return Operations(*(2 * float(count) for count in products))


def largest_product(size: int = PRODUCT, dtype: str = "float32") -> Callable[[], Array]:
    """A product by `jnp`, size × size: what this machine can do at best."""
    matrix = jax.random.normal(jax.random.key(0), (size, size), dtype)
    product = jax.jit(jnp.matmul)
    return lambda: product(matrix, matrix)


def operations_of_product(size: int = PRODUCT) -> float:
    """Of `largest_product`."""
    return 2.0 * size**3
