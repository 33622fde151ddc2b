"""What a score is: how well does an annotation match the query?

A score is a value with a few functions. It says which products read the query and the feedback, so
that a decoder can fuse them with its own. It says what is computed once a sentence. `evaluate`
joins both. A score need not know where it is evaluated: at every position, or in the windows alone.
"""

from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_array
from fa_jax.attention.step import Params

InputKernels = tuple[Array | None, Array | None]
Queries = Float[Array, "N K Q"]
"""K queries of each of N sentences, or of N blocks of windows, as a score's kernels made them."""
Scores = Float[Array, "N K S *D"]
"""Of each query against each position of its row: one, or one for each dimension."""


@dataclass(frozen=True)
class Sizes:
    """Units of the decoder state (H), an annotation (D), the feedback (E), hidden layers (A)."""

    query: int
    memory: int
    feedback: int
    attention: int

    def __post_init__(self):
        for name, size in vars(self).items():
            if not isinstance(size, Integral):
                raise TypeError(f"{name}_size must be a whole number, got {size!r}")
            if size < 1:
                raise ValueError(f"{name}_size must be at least 1, got {size}")


class Score:
    """The score of a query and an annotation. Subclasses are frozen dataclasses: their settings.

    params is the attention's entry "score". N sentences or window blocks, K queries of each.

    >>> class Cosine(fa_jax.Score):
    ...     def evaluate(self, params, query, keys, state):
    ...         unit = lambda x: x * jax.lax.rsqrt((x * x).sum(-1, keepdims=True) + 1e-6)
    ...         return jnp.einsum("nkd,nsd->nks", unit(query), unit(keys))
    >>> config = fa_jax.AttentionConfig(Cosine(), "flexible")
    """

    windowed_from: ClassVar[float] = 64
    """The padded length from which scoring the windows alone pays, where that is done."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        """Its parameters.

        Raises:
          ValueError: sizes that cannot match.
        """
        return {}

    def for_sources(self, longest: int) -> "Score":
        """The same score for sources of up to so many tokens."""
        return self

    def kernels(self, params: Params) -> InputKernels:
        """What multiplies query [H, Q] and feedback [E, Q]; their products are added.

        By their names in params. None for the query: it is used as it is. None for the feedback:
        it is not read.
        """
        return params.get("query_kernel"), params.get("feedback_kernel")

    def keys(
        self, params: Params, annotations: Float[Array, "B S D"], positions: Int[Array, "B S"]
    ) -> PyTree:
        """The memory's part, computed once a sentence (VS 5.5); leaves [B, S, ...].

        Each position's by itself: they may come in chunks. Here their product with "memory_kernel",
        where params has one.
        """
        if "memory_kernel" not in params:
            return annotations
        kernel = params["memory_kernel"]
        check_array("annotations", annotations, ("B", "S", len(kernel)), jnp.floating)
        return annotations @ kernel

    def evaluate(
        self, params: Params, query: Float[Array, "N K Q"], keys: PyTree, state: PyTree
    ) -> Float[Array, "N K S *D"]:
        """Each query against each position of its row; one score, or one for each dimension.

        keys: leaves [N, S, ...]. state: what the positions remember, leaves [N, K, S, ...]; () for
        most scores.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define evaluate(self, params, query, keys, state), which "
            "returns its scores, [N, K, S]"
        )

    def initial_state(self, sentences: int, length: int) -> PyTree:
        """What each position remembers before the first step; leaves [B, S, ...]."""
        return ()

    def observe(self, weights: Float[Array, "B K S"]) -> PyTree:
        """What each position sees of a step's weights; leaves [B, K, S, ...]."""
        return ()

    def update(self, params: Params, state: PyTree, observed: PyTree) -> PyTree:
        """What each position remembers after it; only positions inside the window are asked."""
        return state


def scores_of(
    score: Score, params: Params, query: Queries, keys: PyTree, state: PyTree, positions: int
) -> Scores:
    """What `evaluate` returns, in at least float32, once it is known to keep its rule.

    positions: S.

    Raises:
      ValueError: the scores have another shape.
    """
    scores = score.evaluate(params, query, keys, state)
    wanted, found = (*query.shape[:2], positions), getattr(scores, "shape", ())
    if found[:3] != wanted or len(found) > 4:
        raise ValueError(
            f"{type(score).__name__}.evaluate must return scores [N, K, S] or [N, K, S, D], "
            f"[N, K, S] is {list(wanted)} here, got {list(found)}"
        )
    return at_least_float32(scores)


def glorot(key: PRNGKeyArray, *shape: int) -> Float[Array, "..."]:
    """Glorot's initial values; a vector's are those of a kernel with one output."""
    initializer = initializers.glorot_uniform()
    return initializer(key, shape) if len(shape) > 1 else initializer(key, (*shape, 1))[:, 0]


def at_least_float32(x: Array) -> Array:
    """Softmax, penalty and focus need the precision even where products are bfloat16."""
    return x if jnp.finfo(x.dtype).bits >= 32 else x.astype(jnp.float32)
