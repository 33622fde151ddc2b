"""Attention without positions: a query reads a summary of fixed size.

The cost of a step does not depend on the sentence's length, no position has a weight, and no span
applies.
"""

from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree

from fa_jax.attention.params import Params
from fa_jax.attention.score import InputKernels, Sizes


class Summary:
    """What a sentence comes to. Subclasses are frozen dataclasses: their settings.

    params is the attention's entry "score", as a score's is.

    >>> class Mean(fa_jax.Summary):
    ...     def summarize(self, params, annotations, lengths):
    ...         inside = jnp.arange(annotations.shape[1]) < lengths[:, None]
    ...         return (annotations * inside[..., None]).sum(1) / lengths[:, None]
    ...     def read(self, params, query, summary, size):
    ...         return jnp.broadcast_to(summary[:, None], (*query.shape[:2], size))
    >>> annotations, lengths = jnp.ones((2, 9, 6)), jnp.array([9, 9])
    >>> memory = fa_jax.prepare_memory({"score": {}}, annotations, lengths, Mean())
    """

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        """Its parameters."""
        return {}

    def kernels(self, params: Params) -> InputKernels:
        """What multiplies query [H, Q] and feedback [E, Q]; None: it is not read."""
        return None, None

    def summarize(
        self, params: Params, annotations: Float[Array, "B S D"], lengths: Int[Array, " B"]
    ) -> PyTree:
        """The sentence, in a size that does not depend on its length; leaves [B, ...]."""
        return ()

    def read(
        self, params: Params, query: Float[Array, "B K Q"], summary: PyTree, size: int
    ) -> Float[Array, "B K D"]:
        """The context. size: D."""
        raise NotImplementedError(
            f"{type(self).__name__} must define read(self, params, query, summary, size), which "
            "returns the context, [B, K, D]"
        )
