"""Adam with clipped gradients, and a learning rate that is halved again and again (VS 5.1)."""

import math

import jax
import optax
from jaxtyping import Array

from fa_jax.attention import AttentionConfig
from fa_jax.config import Config, TrainingConfig


def total_steps(config: TrainingConfig, steps_per_epoch: int) -> int:
    """Steps of the longest course that a run can take."""
    of_epochs = max(1.0, config.epochs * steps_per_epoch)
    return math.ceil(min(of_epochs, config.steps or math.inf))


def learning_rate(config: TrainingConfig, last_step: int, step: int, halvings: int = 0) -> float:
    """Of the step that follows `step` others: it rises, stays, and is halved share by share.

    last_step: of the longest course. halvings: those by patience, before this step.
    """
    share = step / last_step
    if share >= config.halve_from:
        halvings += 1 + int((share - config.halve_from) / config.halve_every + 1e-6)
    warm = min(1.0, (step + 1) / config.warmup_steps) if config.warmup_steps else 1.0
    return config.learning_rate * warm * 0.5**halvings


def make_optimizer(config: Config) -> optax.GradientTransformation:
    """Adam over the whole model, for a learning rate of 1; a step multiplies by its own.

    The network of its span is slower.
    """
    training, attention = config.training, config.model.attention
    network = attention.span.network if isinstance(attention, AttentionConfig) else ""
    slow = f"decoder/attention/{network}/"

    def slowed(path: tuple, leaf: Array) -> Array:
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        return leaf * training.span_rate if network and name.startswith(slow) else leaf

    return optax.chain(
        optax.clip_by_global_norm(training.clip_norm),
        optax.adam(1.0),
        optax.stateless(lambda updates, _: jax.tree_util.tree_map_with_path(slowed, updates)),
    )
