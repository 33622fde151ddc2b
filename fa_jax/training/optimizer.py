"""Adam with clipped gradients and a learning rate that is halved epoch by epoch (VS 5.1)."""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import optax

from fa_jax.attention import AttentionConfig
from fa_jax.attention.params import Params
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
    """Adam over the whole model, slower where the span says so."""
    training, attention = config.training, config.model.attention
    slow = attention.span.slow if isinstance(attention, AttentionConfig) else ()
    return optax.chain(
        optax.clip_by_global_norm(training.clip_norm),
        optax.adam(learning_rate(training, steps_per_epoch)),
        _slow_down(slow, training.strength_rate),
    )


def _slow_down(entries: Sequence[str], rate: float) -> optax.GradientTransformation:
    """Scales the updates of these entries of the attention's parameters."""

    def scale(updates: Params, params: Params | None) -> Params:
        decoder = updates["decoder"]
        slower = {
            name: jax.tree.map(lambda leaf: leaf * rate, decoder["attention"][name])
            for name in entries
        }
        return updates | {"decoder": decoder | {"attention": decoder["attention"] | slower}}

    return optax.stateless(scale)
