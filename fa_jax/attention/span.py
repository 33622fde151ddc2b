"""What a span is: which positions count, and with what prior?

A span is a value, as a score is. At each step it turns its state (where attention was, how many
steps there were) into a reach: the window of positions that are scored, and a prior over them.
"""

from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray, PyTree

from fa_jax.attention.checks import check_array
from fa_jax.attention.score import InputKernels, Sizes
from fa_jax.attention.step import Params, Step


@struct.dataclass
class Reach:
    """What a span decides for one step.

    first, last: the window, both included: the positions whose score is computed. Positions
    outside the sentence do not count. prior: what the span's bias and factor are made of; leaves
    [B, K, ...]. strength: g(t); 0 where a span has none. cost: what training pays for the step, in
    nats. state: the span's own, for the next step.
    """

    first: Int[Array, "B K"]
    last: Int[Array, "B K"]
    prior: PyTree = ()
    strength: Float[Array, "B K"] | float = 0.0
    cost: Float[Array, "B K"] | float = 0.0
    state: PyTree = ()


class Span:
    """Which positions count. Subclasses are frozen dataclasses: their settings.

    params is the attention's own: a span's entries stand beside "score".

    >>> class Ahead(fa_jax.Span):
    ...     def reach(self, step):
    ...         here = jnp.round(step.state.focus).astype(int)
    ...         return fa_jax.Reach(first=here - 1, last=here + 8)
    >>> config = fa_jax.AttentionConfig("dot", Ahead())
    """

    network: ClassVar[str] = ""
    """The entry of the network that decides where attention may look, if there is one."""

    scores_nothing: ClassVar[bool] = False
    """Whether its windows are always empty: no score is evaluated, and no position has a weight."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        """Its parameters, by the names of their entries."""
        return {}

    def kernels(self, params: Params, query_size: int) -> InputKernels:
        """What multiplies query [H, P] and feedback [E, P]; their products are added.

        None: it is not read.
        """
        return None, None

    def keys(self, params: Params, annotations: Float[Array, "B S D"]) -> PyTree:
        """What it reads of the annotations, computed once a sentence; leaves [B, S, ...]."""
        return ()

    def initial_state(
        self, sentences: int, length: int, training_keys: Key[Array, " B"] | None
    ) -> PyTree:
        """Its own state before the first step; leaves [B, ...].

        training_keys: in training, a random key a sentence.
        """
        return ()

    def narrows(self, threshold: float | Float[Array, ""]) -> bool:
        """Whether windows can be smaller than the sentence."""
        return True

    @property
    def follows_threshold(self) -> bool:
        """Whether windows are as wide as a threshold says."""
        return self.narrows(1.0) != self.narrows(jnp.inf)

    def reach(self, step: Step) -> Reach:
        """The step's window and prior."""
        raise NotImplementedError(
            f"{type(self).__name__} must define reach(self, step), which returns a fa_jax.Reach"
        )

    def bias(
        self, prior: PyTree, positions: Float[Array, "N K P"]
    ) -> Float[Array, "N K P"] | float:
        """What is added to the scores of positions. prior: leaves [N, K, ...]."""
        return 0.0

    def factor(
        self, prior: PyTree, positions: Float[Array, "N K P"]
    ) -> Float[Array, "N K P"] | float:
        """What multiplies their weights behind the softmax."""
        return 1.0

    def needs_every_position(self, state: PyTree) -> bool:
        """Whether `weights` is more than a softmax over the window, which windows alone allow.

        state: its own. One made with training keys says so of training.
        """
        return False

    def weights(
        self,
        scores: Float[Array, "B K S *D"],
        window: Bool[Array, "B K S"],
        reach: Reach,
        positions: Float[Array, " S"],
    ) -> Float[Array, "B K S *D"]:
        """The softmax over the window alone, exactly 0 elsewhere; an empty one has no weights.

        scores: with the bias.
        """
        factor = self.factor(reach.prior, jnp.broadcast_to(positions, window.shape))
        factor, inside = (by_position(x, scores.ndim) for x in (factor, window))
        return jax.nn.softmax(scores, axis=2, where=inside) * factor

    def for_tokens(self, a_word: float) -> "Span":
        """Itself, for sources of so many tokens a word."""
        return self

    def continued(self, params: Params, before: "Span") -> Params:
        """Parameters learnt with another span of this class, for these settings.

        params: the attention's. before: the span that they were learnt with.
        """
        return params


def reach_of(span: Span, step: Step) -> Reach:
    """What `reach` returns, once it is known to keep its rule, with ends inside the sentence.

    Raises:
      TypeError, ValueError: it is no `Reach`, or the ends are not one whole number for each query.
    """
    reach, name = span.reach(step), f"{type(span).__name__}.reach"
    if not isinstance(reach, Reach):
        raise TypeError(f"{name} must return a fa_jax.Reach, got {type(reach).__name__}")
    for end in ("first", "last"):
        ends = getattr(reach, end)
        check_array(f"{end} of {name}", ends, step.state.focus.shape, jnp.integer)
    end = step.memory.lengths[:, None] - 1
    return reach.replace(first=jnp.maximum(reach.first, 0), last=jnp.minimum(reach.last, end))


def by_position(
    x: Float[Array, "*N"] | Bool[Array, "*N"] | Int[Array, "*N"] | float, ndim: int
) -> Array:
    """What positions have, beside scores of so many axes: one for each dimension, or just one."""
    x = jnp.asarray(x)
    return x.reshape(*x.shape, *[1] * (ndim - x.ndim)) if x.ndim else x


def over_dimensions(weights: Float[Array, "B K S *D"]) -> Float[Array, "B K S"]:
    """The mean over dimensions, where scores have them."""
    return weights.mean(-1) if weights.ndim == 4 else weights
