"""The loss of Shu and Nakayama (2017), Eq. 9: −log p(y|x) − β · mean_t g(t).

A batch's is the mean over its sentences.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Key

from fa_jax.config import Config
from fa_jax.data.batches import Batch
from fa_jax.model.cross_entropy import weighted_cross_entropy
from fa_jax.model.encoder_decoder import Params, force_translation


@struct.dataclass
class BatchSums:
    """Sums over a batch's real sentences and words; they add up over devices.

    negative_log_prob: over words. strength: g(t) over words. gradient_norm: of the whole batch,
    before clipping; filled in when the devices' gradients are added up.
    """

    negative_log_prob: Float[Array, ""]
    strength: Float[Array, ""]
    words: Float[Array, ""]
    sentences: Float[Array, ""]
    gradient_norm: Float[Array, ""] | float = 0.0


def count_sentences(batch: Batch) -> Float[Array, ""]:
    """Real sentences; rows that fill up the last batch have length 0."""
    return (batch.target_lengths > 0).sum(dtype=jnp.float32)


def objective(
    params: Params,
    config: Config,
    batch: Batch,
    *,
    sentences: Float[Array, ""],
    training_keys: Key[Array, " B"] | None,
) -> tuple[Float[Array, ""], BatchSums]:
    """This device's share of the loss: its sentences' sum over the whole batch's `sentences`.

    At the config's threshold weights are the softmax over the windows alone, as in decoding. No
    gradient passes through a window's border, so far positions do not hold g(t) down. What a span
    costs is added to a sentence's loss as the mean over its steps.
    """
    bottleneck, attention = force_translation(
        params,
        config.model,
        batch.source,
        batch.source_lengths,
        batch.target,
        threshold=config.training.threshold,
        training_keys=training_keys,
        details=False,
        collect=lambda attended: (attended.strength, attended.cost),
    )
    mask = (jnp.arange(batch.target.shape[1])[:, None] < batch.target_lengths).astype(jnp.float32)
    output = params["decoder"]["output"]
    negative_log_prob = weighted_cross_entropy(
        output["kernel"],
        output["bias"],
        bottleneck.reshape(-1, bottleneck.shape[-1]),
        batch.target.T.reshape(-1),
        mask.reshape(-1),
    )
    strength, cost = ((of_steps * mask).sum(0) for of_steps in attention)
    # A row without words has strength 0 / 1, not 0 / 0.
    reward = (config.training.beta * strength - cost) / jnp.maximum(batch.target_lengths, 1)
    loss = (negative_log_prob - reward.sum()) / sentences
    sums = BatchSums(negative_log_prob, strength.sum(), mask.sum(), count_sentences(batch))
    return loss, jax.lax.stop_gradient(sums)
