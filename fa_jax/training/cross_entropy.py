"""The training loss of the output layer, without the whole batch's logits in memory.

Words are taken in chunks, and each chunk's gradient is computed while its logits are there: forward
and backward pass are one. Logits and all sums are float32.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from fa_jax.attention.score import at_least_float32
from fa_jax.model.product import contract, kernel_gradient

CHUNK_ELEMENTS = 2**21
"""Logits held at a time on a CPU: they fit its cache. Twice and half as many measured within 5%."""
ACCELERATORS_CHUNK_ELEMENTS = 2**26
"""On others. Each chunk reads the kernel twice, and its gradient is read and written. With 600
units, 40,000 words and 3,200 rows that moves 24 GB a step in a CPU's chunks, which takes a v5e
30 ms, and 0.8 GB in these. Calculated, not measured."""


@partial(jax.custom_vjp, nondiff_argnums=(5,))
def weighted_cross_entropy(
    kernel: Float[Array, "F V"],
    bias: Float[Array, " V"],
    hidden: Float[Array, "N F"],
    words: Int[Array, " N"],
    weights: Float[Array, " N"],
    smoothing: float = 0.0,
) -> Float[Array, ""]:
    """Σ_n weights_n · −log softmax(hidden_n · kernel + bias)[words_n], in nats.

    smoothing: the share ε of a word's weight that all words of the vocabulary have alike (label
    smoothing, Szegedy et al. 2016).

    Products have the precision of hidden; kernel and bias may have a higher one, which their
    gradients have too. words and weights have no gradient.
    """
    return _forward(kernel, bias, hidden, words, weights, smoothing)[0]


def _forward(*arguments):
    *inputs, smoothing = arguments
    return jax.lax.platform_dependent(
        *inputs,
        cpu=partial(_in_chunks, smoothing, CHUNK_ELEMENTS),
        default=partial(_in_chunks, smoothing, ACCELERATORS_CHUNK_ELEMENTS),
    )


def _in_chunks(smoothing, elements, kernel, bias, hidden, words, weights):
    rows = max(1, min(len(words), elements // kernel.shape[1]))
    chunks = -(-len(words) // rows)
    rows = -(-len(words) // chunks)
    rounded = kernel.astype(hidden.dtype)

    def chunked(x: Array) -> Array:
        padding = [(0, chunks * rows - len(x)), *[(0, 0)] * (x.ndim - 1)]
        return jnp.pad(x, padding).reshape(chunks, rows, *x.shape[1:])

    def step(carry, chunk):
        loss, for_kernel, for_bias = carry
        hidden, words, weights = chunk
        logits = contract("nf,fv->nv", hidden, rounded) + at_least_float32(bias)[None]
        exponentials = jnp.exp(logits - logits.max(-1, keepdims=True))
        total = exponentials.sum(-1)
        chosen = jnp.take_along_axis(logits, words[:, None], axis=-1)[:, 0]
        if smoothing:
            chosen = (1 - smoothing) * chosen + smoothing * logits.mean(-1)
        log_probs = chosen - logits.max(-1) - jnp.log(total)
        loss -= (weights * log_probs).sum()
        error = exponentials * (weights / total)[:, None]
        at_word = jnp.arange(kernel.shape[1])[None] == words[:, None]
        others = smoothing / kernel.shape[1]
        error -= weights[:, None] * jnp.where(at_word, 1 - smoothing + others, others)
        for_bias += error.sum(0)
        error = error.astype(hidden.dtype)
        for_kernel += kernel_gradient(hidden, error)
        for_hidden = contract("nv,fv->nf", error, rounded).astype(hidden.dtype)
        return (loss, for_kernel, for_bias), for_hidden

    zero = (jnp.float32(0), *(jnp.zeros_like(at_least_float32(x)) for x in (kernel, bias)))
    (loss, for_kernel, for_bias), for_hidden = jax.lax.scan(
        step, zero, (chunked(hidden), chunked(words), chunked(weights))
    )
    for_hidden = for_hidden.reshape(-1, hidden.shape[-1])[: len(hidden)]
    return loss, (for_kernel.astype(kernel.dtype), for_bias.astype(bias.dtype), for_hidden)


def _backward(smoothing, gradients, gradient):
    return *(gradient.astype(g.dtype) * g for g in gradients), None, None


weighted_cross_entropy.defvjp(_forward, _backward)
