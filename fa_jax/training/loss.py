"""The loss of Shu and Nakayama (2017), Eq. 9: −log p(y|x) − β · mean_t g(t).

A batch's is the mean over its sentences; a passage counts as many as it has.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Float, Key

from fa_jax.attention import learn_in_windows
from fa_jax.config import Config
from fa_jax.data.batches import Batch
from fa_jax.model.encoder_decoder import Params, force_translation, read_source
from fa_jax.training.cross_entropy import weighted_cross_entropy


@struct.dataclass
class BatchSums:
    """Sums over a batch's real sentences and words; they add up over devices.

    negative_log_prob: over words. strength: g(t) over words. scored, positions: how many positions
    were scored, and how many global attention would score. gradient_norm: of the whole batch,
    before clipping; filled in when the devices' gradients are added up.
    """

    negative_log_prob: Float[Array, ""]
    strength: Float[Array, ""]
    words: Float[Array, ""]
    sentences: Float[Array, ""]
    scored: Float[Array, ""]
    positions: Float[Array, ""]
    gradient_norm: Float[Array, ""] | float = 0.0


def translation_loss(
    params: Params,
    config: Config,
    batch: Batch,
    *,
    sentences: Float[Array, ""],
    beta: Float[Array, ""] | float,
    threshold: Float[Array, ""] | Float[Array, "B 1"] | float,
    training_keys: Key[Array, " B"] | None,
) -> tuple[Float[Array, ""], BatchSums]:
    """This device's share of the loss: its sentences' sum over the whole batch's `sentences`.

    beta: what high strengths are rewarded by. threshold: τ, also one a sentence. Weights are the
    softmax over the windows alone, as in decoding, and no gradient passes through a window's
    border. What a span costs is added to a sentence's loss as the mean over its steps.
    training_keys: a random key a sentence, for dropout and spans; None: there is no noise.
    """
    read = read_source(params, config.model, batch.source, batch.source_lengths, training_keys)
    if config.training.in_windows:
        memory, attention = learn_in_windows(read.memory, read.start.attention)
        read = read.replace(memory=memory, start=read.start.replace(attention=attention))
    bottleneck, of_steps = force_translation(
        params,
        config.model,
        read,
        batch.source,
        batch.target,
        threshold=threshold,
        implementation="windowed" if config.training.in_windows else "dense",
        collect=lambda attended: (attended.strength, attended.cost, attended.window),
    )
    inside = jnp.arange(batch.target.shape[1])[:, None] < batch.target_lengths[None]
    mask = inside.astype(jnp.float32)
    output = params["decoder"]["output"]
    negative_log_prob = weighted_cross_entropy(
        output["kernel"],
        output["bias"],
        bottleneck.reshape(-1, bottleneck.shape[-1]),
        batch.target.T.reshape(-1),
        mask.reshape(-1),
        config.training.label_smoothing,
    )
    strength, cost, scored = ((x.astype(mask.dtype) * mask).sum(0) for x in of_steps)
    steps = jnp.maximum(batch.target_lengths, 1)  # of an empty row 0 / 1, not 0 / 0
    of_rows = batch.sentences.astype(mask.dtype)
    reward = (beta * strength - cost) / steps.astype(mask.dtype) * of_rows
    loss = (negative_log_prob - reward.sum()) / sentences
    sums = BatchSums(
        negative_log_prob,
        strength.sum(),
        mask.sum(),
        of_rows.sum(),
        scored.sum(),
        (batch.source_lengths * batch.target_lengths).sum().astype(jnp.float32),
    )
    return loss, jax.lax.stop_gradient(sums)
