"""Adam with clipped gradients and a learning rate that is halved epoch by epoch (VS 5.1)."""

import math

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array

from fa_jax.attention import AttentionConfig
from fa_jax.config import Config, TrainingConfig


def total_steps(config: TrainingConfig, steps_per_epoch: int) -> int:
    """Steps of a whole run."""
    return config.steps or max(1, math.ceil(config.epochs * steps_per_epoch))


def learning_rate(config: TrainingConfig, steps_per_epoch: int) -> optax.Schedule:
    """Rises, stays, and is halved when epoch `halve_from` begins and every `halve_every` later."""
    epochs = max(config.epochs, total_steps(config, steps_per_epoch) / steps_per_epoch)
    halvings = max(0, math.ceil((epochs + 1 - config.halve_from) / config.halve_every))
    starts = [config.halve_from - 1 + n * config.halve_every for n in range(halvings)]
    halved = optax.piecewise_constant_schedule(
        config.learning_rate, {max(1, round(start * steps_per_epoch)): 0.5 for start in starts}
    )
    if not config.warmup_steps:
        return halved
    return lambda step: halved(step) * jnp.minimum(1, (step + 1) / config.warmup_steps)


def make_optimizer(config: Config, steps_per_epoch: int) -> optax.GradientTransformation:
    """Adam over the whole model; entries of the attention are slower where the span says so."""
    training, attention = config.training, config.model.attention
    entries = attention.span.slow if isinstance(attention, AttentionConfig) else ()
    slow = tuple(f"decoder/attention/{name}/" for name in entries)

    def slowed(path: tuple, leaf: Array) -> Array:
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        return leaf * training.strength_rate if f"{name}/".startswith(slow) else leaf

    return optax.chain(
        optax.clip_by_global_norm(training.clip_norm),
        optax.adam(learning_rate(training, steps_per_epoch)),
        optax.stateless(lambda updates, _: jax.tree_util.tree_map_with_path(slowed, updates)),
    )
