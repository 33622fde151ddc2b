"""The hidden layer `tanh(W [h_{t-1}; h̄_s; i_t])` and its product with a vector: additive scores,
and the numbers that spans decide on.

W splits by rows into a part of the query, one of the memory and, for some scores, one of the word
fed back. Their products are added before tanh. The memory's does not change from step to step.
"""

from functools import partial

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


@partial(jax.checkpoint, prevent_cse=False)
def hidden_layer_score(
    vector: Float[Array, " A"], query: Float[Array, "N K A"], keys: Float[Array, "N S A"]
) -> Float[Array, "N K S"]:
    """`v · tanh(query + keys)`, each query against each key of its row, in float32. The backward
    pass computes tanh again, rather than keep it for each step of a scan."""
    return project_hidden(jnp.tanh(query[:, :, None] + keys[:, None]), vector)


def project_hidden(hidden: Float[Array, "*N A"], vector: Float[Array, " A"]) -> Float[Array, "*N"]:
    """`v · hidden` in float32, on devices that round factors to fewer digits, too.

    Windows follow from it, and a place in a long source has many digits. As one flat product it is
    twice as fast on a CPU. jax 0.7's kernels for TPUs take no vector here.
    """
    flat = at_least_float32(hidden).reshape(-1, hidden.shape[-1])
    product = jnp.matmul(flat, at_least_float32(vector)[:, None], precision="highest")
    return product.reshape(hidden.shape[:-1])
