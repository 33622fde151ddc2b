"""Adam with clipped gradients and a learning rate that is halved epoch by epoch (VS 5.1)."""

import math

import optax

from fa_jax.config import TrainingConfig


def total_steps(config: TrainingConfig, steps_per_epoch: int) -> int:
    """Steps of a whole run."""
    return config.steps or max(1, math.ceil(config.epochs * steps_per_epoch))


def learning_rate(config: TrainingConfig, steps_per_epoch: int) -> optax.Schedule:
    """Constant, then halved when epoch `halve_from` begins and every `halve_every` after it."""
    epochs = max(config.epochs, total_steps(config, steps_per_epoch) / steps_per_epoch)
    halvings = max(0, math.ceil((epochs + 1 - config.halve_from) / config.halve_every))
    starts = [config.halve_from - 1 + n * config.halve_every for n in range(halvings)]
    return optax.piecewise_constant_schedule(
        config.learning_rate, {max(1, round(start * steps_per_epoch)): 0.5 for start in starts}
    )


def make_optimizer(config: TrainingConfig, steps_per_epoch: int) -> optax.GradientTransformation:
    return optax.chain(
        optax.clip_by_global_norm(config.clip_norm),
        optax.adam(learning_rate(config, steps_per_epoch)),
    )
