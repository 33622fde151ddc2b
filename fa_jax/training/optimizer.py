"""Adam with clipped gradients and a learning rate that is halved epoch by epoch (VS 5.1)."""

import math

import jax
import jax.numpy as jnp
import optax

from fa_jax.config import TrainingConfig


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


def make_optimizer(config: TrainingConfig, steps_per_epoch: int) -> optax.GradientTransformation:
    return optax.chain(
        optax.clip_by_global_norm(config.clip_norm),
        optax.adam(learning_rate(config, steps_per_epoch)),
        _scale_span(config.strength_rate),
    )


PLACING_NETWORKS = {"strength", "position"}
"""Flexible attention's g(t), local-p's p_t."""


def _scale_span(rate: float) -> optax.GradientTransformation:
    """Slows the network down that decides where attention may look.

    It is one number read out of many units, which Adam all moves at full rate: before attention has
    learnt where to look, g(t) saturates at 1, within a hundred steps, or p_t at the sentence's
    beginning, and never comes back.
    """

    def scale(updates):
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: leaf * rate if PLACING_NETWORKS & set(map(_name, path)) else leaf,
            updates,
        )

    return optax.stateless(lambda updates, params: scale(updates))


def _name(entry) -> str:
    return getattr(entry, "key", "")
