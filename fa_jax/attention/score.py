"""How well does an annotation match the query? The concat score of VS Eq. 3.

`v_a · tanh(W_a [h_{t-1}; h̄_s])` splits into a part of the query and a part of the memory, whose
sum goes through tanh. The memory's part does not change from step to step.
"""

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Float, PRNGKeyArray

from fa_jax.attention.params import Params


def init_score(key: PRNGKeyArray, query_size: int, memory_size: int, attention_size: int) -> Params:
    """Glorot over the whole of `W_a`, so that its two parts start at one scale."""
    kernel_key, vector_key = jax.random.split(key)
    glorot = initializers.glorot_uniform()
    kernel = glorot(kernel_key, (query_size + memory_size, attention_size))
    return {
        "query_kernel": kernel[:query_size],
        "memory_kernel": kernel[query_size:],
        "vector": glorot(vector_key, (attention_size, 1))[:, 0],
    }


def score_keys(params: Params, annotations: Float[Array, "*N D"]) -> Float[Array, "*N A"]:
    """The memory's part of the score, once a sentence."""
    return annotations @ params["memory_kernel"]


def score_query(params: Params, query: Float[Array, "*N H"]) -> Float[Array, "*N A"]:
    """The query's part of the score, once a step."""
    return query @ params["query_kernel"]


@jax.custom_vjp
def score(
    vector: Float[Array, " A"], query: Float[Array, "N K A"], keys: Float[Array, "N S A"]
) -> Float[Array, "N K S"]:
    """Eq. 3 from its two parts, each query against each key of its row, in float32."""
    return _hidden(query, keys) @ vector.astype(_wide(vector))


def _hidden(query: Array, keys: Array) -> Float[Array, "N K S A"]:
    return jnp.tanh(query[:, :, None] + keys[:, None]).astype(_wide(keys))


def _wide(array: Array):
    return jnp.promote_types(array.dtype, jnp.float32)


def _forward(vector, query, keys):
    return score(vector, query, keys), (vector, query, keys)


def _backward(residuals, gradient):
    """Recomputes tanh instead of storing it: a step of a scan reads less memory than it fills."""
    vector, query, keys = residuals
    hidden = _hidden(query, keys)
    slope = 1 - jnp.square(hidden)
    for_vector = jnp.einsum("nks,nksa->nka", gradient, hidden).sum((0, 1))
    for_query = jnp.einsum("nks,nksa->nka", gradient, slope) * vector
    for_keys = (gradient[..., None] * slope * vector).sum(1)
    return (
        for_vector.astype(vector.dtype),
        for_query.astype(query.dtype),
        for_keys.astype(keys.dtype),
    )


score.defvjp(_forward, _backward)
