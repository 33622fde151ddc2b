"""What a score is: how well does an annotation match the query?

A score is a value with a few functions. It says which products read the query and the feedback, so
that a decoder can fuse them with its own, and what is computed once a sentence; `evaluate` joins
both. Where it is evaluated, at every position or in the windows alone, is none of its business.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from fa_jax.attention.params import Params

Kernels = tuple[Array | None, Array | None]


@dataclass(frozen=True)
class Sizes:
    """Units of the decoder state (H), an annotation (D), the feedback (E), hidden layers (A)."""

    query: int
    memory: int
    feedback: int
    attention: int


class Score:
    """The score of a query and an annotation. Subclasses are frozen dataclasses: their settings.

    params is the attention's entry "score". N sentences or window blocks, K queries of each.
    """

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        """Its parameters.

        Raises:
          ValueError: sizes that cannot match.
        """
        return {}

    def kernels(self, params: Params) -> Kernels:
        """What multiplies query [H, Q] and feedback [E, Q]; their products are added.

        None for the query: it is used as it is. None for the feedback: it is not read.
        """
        return None, None

    def keys(self, params: Params, annotations: Float[Array, "B S D"]) -> PyTree:
        """The memory's part, computed once a sentence; leaves [B, S, ...]."""
        return annotations

    def evaluate(
        self, params: Params, query: Float[Array, "N K Q"], keys: PyTree, state: PyTree
    ) -> Float[Array, "N K S *D"]:
        """Each query against each position of its row; one score, or one for each dimension.

        state: what the positions remember, leaves [N, K, S, ...]; () for most scores.
        """
        raise NotImplementedError

    def initial_state(self, sentences: int, length: int) -> PyTree:
        """What each position remembers before the first step; leaves [B, S, ...]."""
        return ()

    def observe(self, weights: Float[Array, "B K S"]) -> PyTree:
        """What each position sees of a step's weights; leaves [B, K, S, ...]."""
        return ()

    def update(self, params: Params, state: PyTree, observed: PyTree) -> PyTree:
        """What each position remembers after it; only positions inside the window are asked."""
        return state


def glorot(key: PRNGKeyArray, *shape: int) -> Float[Array, "..."]:
    """Glorot's initial values; a vector's are those of a kernel with one output."""
    initializer = initializers.glorot_uniform()
    return initializer(key, shape) if len(shape) > 1 else initializer(key, (*shape, 1))[:, 0]


def at_least_float32(x: Array) -> Array:
    """Softmax, penalty and focus need the precision even where products are bfloat16."""
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


@jax.custom_vjp
def hidden_layer_score(
    vector: Float[Array, " A"], query: Float[Array, "N K A"], keys: Float[Array, "N S A"]
) -> Float[Array, "N K S"]:
    """`v · tanh(query + keys)`, each query against each key of its row, in float32."""
    return project_hidden(_hidden(query, keys), vector)


def project_hidden(
    hidden: Float[Array, "N K S A"], vector: Float[Array, " A"]
) -> Float[Array, "N K S"]:
    """`v · hidden` in float32. As one flat product it is twice as fast on a CPU."""
    flat = at_least_float32(hidden).reshape(-1, hidden.shape[-1]) @ at_least_float32(vector)
    return flat.reshape(hidden.shape[:-1])


def _hidden(query: Array, keys: Array) -> Float[Array, "N K S A"]:
    return at_least_float32(jnp.tanh(query[:, :, None] + keys[:, None]))


def _forward(vector, query, keys):
    return hidden_layer_score(vector, query, keys), (vector, query, keys)


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


hidden_layer_score.defvjp(_forward, _backward)
