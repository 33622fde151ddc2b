"""One step of attention with windows of a given size, ready to be timed."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

import fa_jax
from fa_jax.attention import AttentionConfig, Flexible, Score

SIGMA = 1.5


def attention_sides(
    score: Score,
    length: int,
    window: float,
    sentences: int,
    beam: int,
    size: int,
    apart: float = np.inf,
    implementations: Sequence[str] = ("dense", "windowed"),
) -> tuple[dict[str, Callable], float]:
    """The step by each implementation, under a flexible span.

    Windows lie at random places inside the sentence.

    Args:
      score: of the attention.
      length: positions of each sentence.
      window: positions of each window.
      sentences, beam: sentences, and hypotheses of each.
      size: units of the score's hidden layer; annotations and decoder state have twice as many.
      apart: positions between a sentence's hypotheses at most.
      implementations: of the sides, "dense" among them.

    Returns:
      By implementation a function that takes the step, and the mean window as it came out.
    """
    config = AttentionConfig(score.for_sources(length), Flexible(SIGMA))
    params = fa_jax.init_attention(
        jax.random.key(0),
        config,
        query_size=2 * size,
        memory_size=2 * size,
        feedback_size=size,
        attention_size=size,
    )
    params["strength"]["bias"] = jnp.float32(20.0)  # g = 1: the threshold alone sets the width
    random = np.random.default_rng(length)
    annotations = jnp.asarray(random.normal(size=(sentences, length, 2 * size)), jnp.float32)
    memory = fa_jax.prepare_memory(params, annotations, jnp.full(sentences, length), config)
    shape = sentences, beam
    query = jnp.asarray(random.normal(size=(*shape, 2 * size)), jnp.float32)
    feedback = jnp.asarray(random.normal(size=(*shape, size)), jnp.float32)
    low, high = window / 2, length - window / 2
    first = random.uniform(low, max(low, high - apart), (sentences, 1))
    focus = random.uniform(first, np.minimum(first + apart, high), shape).astype(np.float32)
    state = fa_jax.initial_attention_state(memory, config)
    state = jax.tree.map(lambda x: jnp.repeat(x[:, None], beam, axis=1), state)
    state = state.replace(focus=jnp.asarray(focus))
    threshold = float((window / 2) ** 2 / (2 * SIGMA**2))

    def side(implementation: str) -> Callable:
        @jax.jit
        def step(params, query, feedback, state, memory):
            return fa_jax.attend(
                params,
                config,
                query,
                feedback,
                state,
                memory,
                threshold=threshold,
                implementation=implementation,
                details=False,
            )

        return lambda: step(params, query, feedback, state, memory)

    sides = {name: side(name) for name in implementations}
    return sides, float(sides["dense"]().window.mean())
