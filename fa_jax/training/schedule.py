"""How long a training is, and what changes on its way: the learning rate, and Eq. 9's β and τ."""

import math

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Key

from fa_jax.config import TrainingConfig

WIDE = 8.0
"""τ of windows that are as good as all positions: beyond it, e^-8 of a weight is left."""
NARROWED = 0.8
"""Windows are narrow after this share of the steps that have any. A network that met them at once
would lose more, also where it then reads all positions."""


@struct.dataclass
class StepSettings:
    """Of one step. rate: of learning. beta: what strengths are rewarded by. threshold: τ."""

    rate: Float[Array, ""] | float
    beta: Float[Array, ""] | float = 0.0
    threshold: Float[Array, ""] | float = math.inf


def total_steps(config: TrainingConfig, steps_per_epoch: int) -> int:
    """Steps of a whole training."""
    of_epochs = max(1.0, config.epochs * steps_per_epoch)
    return math.ceil(min(of_epochs, config.steps or math.inf))


def validation_steps(config: TrainingConfig, last_step: int) -> list[int]:
    """After which steps a run is validated: evenly spaced, the last one at its end."""
    count = min(config.validations, last_step)
    return [last_step * number // count for number in range(1, count + 1)]


def settings_of_step(config: TrainingConfig, last_step: int, step: int) -> StepSettings:
    """Of the step that follows `step` others, of `last_step`."""
    rate = learning_rate(config, last_step, step)
    if step < config.windows_from * last_step:
        return StepSettings(rate)
    in_windows = (step / last_step - config.windows_from) / (1 - config.windows_from)
    return StepSettings(rate, config.beta, narrowing(config.threshold, in_windows / NARROWED))


def narrowing(threshold: float, share: float) -> float:
    """τ on its way from `WIDE` to the threshold, by equal factors; it is there at a share of 1."""
    if threshold > WIDE:
        return threshold
    return threshold * (WIDE / threshold) ** max(0.0, 1 - share)


def learning_rate(config: TrainingConfig, last_step: int, step: int) -> float:
    """It rises, stays, and falls: in a straight line, or by halves."""
    share = step / last_step
    warm = min(1.0, (step + 1) / config.warmup_steps) if config.warmup_steps else 1.0
    rate = config.learning_rate * warm
    if share < config.decay_from:
        return rate
    if config.halve_every:
        return rate * 0.5 ** (1 + int((share - config.decay_from) / config.halve_every + 1e-6))
    return rate * (1 - share) / (1 - config.decay_from)


def threshold_of_sentences(
    config: TrainingConfig, threshold: Float[Array, ""] | float, keys: Key[Array, " B"]
) -> Float[Array, "B 1"]:
    """τ of each sentence of a batch: so many of them, drawn at random, are read whole.

    They say what a narrow window leaves out: what has no weight in one has no gradient there, and
    nothing would open it again. keys: a random key a sentence.
    """
    draw = jax.vmap(lambda key: jax.random.uniform(jax.random.fold_in(key, 1)))(keys)
    whole = jnp.maximum(threshold, WIDE) if config.in_windows else jnp.inf
    return jnp.where(draw < config.whole_sentences, whole, threshold)[:, None]
