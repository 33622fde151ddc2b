"""The hidden layer `tanh(W [h_{t-1}; h̄_s; i_t])` and its product with a vector: additive scores,
and the numbers that spans decide on.

W splits by rows into a part of the query, one of the memory and, for some scores, one of the word
fed back. Their products are added before tanh. The memory's does not change from step to step.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from fa_jax.attention.score import Sizes, at_least_float32, glorot
from fa_jax.attention.step import Params


def init_additive(
    key: PRNGKeyArray, sizes: Sizes, *, feedback: bool = False
) -> dict[str, Float[Array, "..."]]:
    """W in its parts, and the vector v. Glorot over the whole of W, so that its parts start at one
    scale."""
    ends = sizes.query, sizes.query + sizes.memory
    inputs = ends[1] + (sizes.feedback if feedback else 0)
    whole = init_decision(key, inputs, sizes.attention)
    query, memory, fed_back = jnp.split(whole["kernel"], ends)
    parts = {"query_kernel": query, "memory_kernel": memory, "vector": whole["vector"]}
    return parts | ({"feedback_kernel": fed_back} if feedback else {})


def init_decision(key: PRNGKeyArray, inputs: int, units: int) -> Params:
    """W [inputs, units] and v; a bias is added by those that have one."""
    kernel_key, vector_key = jax.random.split(key)
    return {"kernel": glorot(kernel_key, inputs, units), "vector": glorot(vector_key, units)}


def decide(params: Params, product: Float[Array, "*N A"]) -> Float[Array, "*N"]:
    """A number between 0 and 1, `sigmoid(v · tanh(W x) + b)`, from `W x`."""
    decision = project_hidden(jnp.tanh(product), params["vector"])
    return jax.nn.sigmoid(decision + jnp.asarray(params.get("bias", 0.0), decision.dtype))


@jax.custom_vjp
def hidden_layer_score(
    vector: Float[Array, " A"], query: Float[Array, "N K A"], keys: Float[Array, "N S A"]
) -> Float[Array, "N K S"]:
    """`v · tanh(query + keys)`, each query against each key of its row, in float32."""
    return project_hidden(_hidden(query, keys), vector)


def project_hidden(hidden: Float[Array, "*N A"], vector: Float[Array, " A"]) -> Float[Array, "*N"]:
    """`v · hidden` in float32, on devices that round factors to fewer digits, too.

    Windows follow from it, and a place in a long source has many digits. As one flat product it is
    twice as fast on a CPU. jax 0.7's kernels for TPUs take no vector here.
    """
    flat = at_least_float32(hidden).reshape(-1, hidden.shape[-1])
    product = jnp.matmul(flat, at_least_float32(vector)[:, None], precision="highest")
    return product.reshape(hidden.shape[:-1])


def _hidden(query: Array, keys: Array) -> Float[Array, "N K S A"]:
    return at_least_float32(jnp.tanh(query[:, :, None] + keys[:, None]))


def _backward(residuals, gradient):
    """Recomputes tanh instead of storing it: a step of a scan reads less memory than it fills."""
    vector, query, keys = residuals
    hidden = _hidden(query, keys)
    slope, wide = 1 - jnp.square(hidden), at_least_float32(vector)[None, None]
    for_vector = jnp.einsum("nks,nksa->nka", gradient, hidden).sum((0, 1))
    for_query = jnp.einsum("nks,nksa->nka", gradient, slope) * wide
    for_keys = (gradient[..., None] * slope * wide[None]).sum(1)
    gradients = for_vector, for_query, for_keys
    return tuple(found.astype(x.dtype) for found, x in zip(gradients, residuals, strict=True))


hidden_layer_score.defvjp(lambda *inputs: (hidden_layer_score(*inputs), inputs), _backward)
