"""`flexible_attention` as a Flax module."""

from functools import partial

import jax.numpy as jnp
from flax import linen as nn
from jaxtyping import Array, Float, Int

from fa_jax.attention.flexible import (
    FlexibleAttentionOutput,
    flexible_attention,
    init_flexible_attention,
)
from fa_jax.attention.implementation import Implementation
from fa_jax.attention.memory import prepare_memory
from fa_jax.attention.step import Memory


class FlexibleAttention(nn.Module):
    """Flexible attention for Flax users; a thin layer over `fa_jax.flexible_attention`.

    Attributes:
      query_size, memory_size, feedback_size, attention_size: as in `init_flexible_attention`.
      sigma, threshold, implementation: as in `flexible_attention`.

    Its parameters are one entry, "flexible_attention", that the functions accept as they are.

    >>> module = fa_jax.FlexibleAttention(4, 6, 5, 8, threshold=1.2)
    >>> def step(module, annotations, lengths, query, feedback, focus):
    ...     return module(query, feedback, focus, module.prepare_memory(annotations, lengths))
    >>> source = jnp.ones((2, 9, 6)), jnp.array([9, 7])
    >>> begin = flax.linen.init_with_output(step, module)
    >>> inputs = jnp.ones((2, 4)), jnp.ones((2, 5)), jnp.zeros(2)
    >>> out, params = begin(jax.random.key(0), *source, *inputs)
    >>> out.context.shape
    (2, 6)
    """

    query_size: int
    memory_size: int
    feedback_size: int
    attention_size: int
    sigma: float = 1.5
    threshold: float = jnp.inf
    implementation: Implementation | None = None

    def setup(self):
        sizes = {name: value for name, value in vars(self).items() if name.endswith("_size")}
        begin = partial(init_flexible_attention, **sizes)
        self.weights = self.param("flexible_attention", begin)

    def prepare_memory(
        self, annotations: Float[Array, "B S D"], lengths: Int[Array, " B"]
    ) -> Memory:
        """Keys of all annotations, once a sentence."""
        return prepare_memory(self.weights, annotations, lengths)

    def __call__(
        self,
        query: Float[Array, "B *K H"],
        feedback: Float[Array, "B *K E"],
        focus: Float[Array, "B *K"],
        memory: Memory,
    ) -> FlexibleAttentionOutput:
        """One step of attention."""
        return flexible_attention(
            self.weights,
            query,
            feedback,
            focus,
            memory,
            sigma=self.sigma,
            threshold=self.threshold,
            implementation=self.implementation,
        )
