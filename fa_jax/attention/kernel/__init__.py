"""A step in its windows as one kernel.

Each row, one query of one sentence, reads the positions of its window, and few others. Scores, a
running softmax, context and focus are computed while they are there (`block`). `tpu` brings them.
"""

from collections.abc import Callable
from functools import partial

import jax
from jaxtyping import Array, Float

from fa_jax.attention import dense
from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.kernel import tpu
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step, Weighed
from fa_jax.attention.windowed import with_gradient_of_dense

Computed = tuple[Float[Array, "B K D"], Float[Array, "B K"]]
"""Context and focus."""


def on_platform(config: AttentionConfig, step: Step, reach: Reach) -> Computed:
    """By a kernel that is compiled for a TPU; a CPU interprets it."""
    return jax.lax.platform_dependent(
        step,
        reach,
        tpu=partial(tpu.context_and_focus, config, interpret=False),
        cpu=partial(tpu.context_and_focus, config, interpret=True),
    )


def weigh(
    config: AttentionConfig,
    step: Step,
    reach: Reach,
    details: bool,
    compute: Callable[[AttentionConfig, Step, Reach], Computed] = on_platform,
) -> Weighed:
    """As `dense.weigh`, from the windows alone; details are computed densely.

    Its gradient is that of `dense.weigh`, which is computed where a gradient is asked for.

    Raises:
      ValueError: the span is none that a kernel evaluates.
    """
    if any(leaf.ndim != 2 for leaf in jax.tree.leaves(reach.prior)):
        raise ValueError(f"no kernel evaluates {config.span}: take 'windowed'")
    return with_gradient_of_dense(partial(_weighed, compute), config, step, reach, details)


def _weighed(
    compute: Callable[..., Computed],
    config: AttentionConfig,
    step: Step,
    reach: Reach,
    details: bool,
) -> Weighed:
    found = Weighed(*compute(config, step, reach), state=())
    if not details:
        return found
    all_positions = dense.weigh(config, step, reach, details)
    return found.replace(weights=all_positions.weights, by_dimension=all_positions.by_dimension)
