"""The loss of Shu and Nakayama (2017), Eq. 9: −log p(y|x) − β · mean_t g(t).

A batch's is the mean over its sentences; a passage counts as many as it has.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key

from fa_jax.attention import AttentionConfig
from fa_jax.attention.lesson import Gaze
from fa_jax.attention.spans.everywhere import Global
from fa_jax.config import Config
from fa_jax.data.batches import Batch
from fa_jax.model.cross_entropy import weighted_cross_entropy
from fa_jax.model.encoder_decoder import Params, force_translation

DIAGONAL = 0.2
"""Width of the diagonal that attention is led along, in lengths of the source: the g of Tachibana
et al. (2018)."""
IN_WINDOWS = 0.9
"""Share of the sentences that are learnt in windows where these are ordered."""
NEAR = 32
"""Positions on either side of the focus that learning in windows scores at least."""
FREE_NEAR = 0.25
"""Share of what is learnt in windows that is read without the span, near the focus: in text of a
new length attention has to find its place again, and a span would keep it where it is."""


@struct.dataclass
class BatchSums:
    """Sums over a batch's real sentences and words; they add up over devices.

    negative_log_prob: over words. strength: g(t) over words. scored, positions: of the sentences in
    windows that were ordered, how many were scored, and how many global attention would score; 0
    where no windows were.
    moved: variance, over a sentence's steps, of the mean position where each would look, in squares
    of the sentence's length; covered: of all positions where they would look; walked: of an even
    walk from one end to the other.
    gradient_norm: of the whole batch, before clipping; filled in when the devices' gradients are
    added up.
    """

    negative_log_prob: Float[Array, ""]
    strength: Float[Array, ""]
    words: Float[Array, ""]
    sentences: Float[Array, ""]
    scored: Float[Array, ""] | float = 0.0
    positions: Float[Array, ""] | float = 0.0
    moved: Float[Array, ""] | float = 0.0
    covered: Float[Array, ""] | float = 0.0
    walked: Float[Array, ""] | float = 0.0
    gradient_norm: Float[Array, ""] | float = 0.0


def count_sentences(batch: Batch) -> Float[Array, ""]:
    """Real sentences; rows that fill up the last batch have length 0."""
    return _sentences(batch).sum()


def _sentences(batch: Batch) -> Float[Array, " B"]:
    """Of each row; none where it is empty."""
    numbers = batch.target_lengths > 0 if batch.sentences is None else batch.sentences
    return numbers.astype(jnp.float32)


def objective(
    params: Params,
    config: Config,
    batch: Batch,
    *,
    sentences: Float[Array, ""],
    training_keys: Key[Array, " B"] | None,
    unaligned: Float[Array, ""] | float = 0.0,
    led: Float[Array, ""] | float = 0.0,
    price: Float[Array, ""] | float = 1.0,
) -> tuple[Float[Array, ""], BatchSums]:
    """This device's share of the loss: its sentences' sum over the whole batch's `sentences`.

    At a threshold weights are the softmax over the windows alone, as in decoding. No gradient
    passes through a window's border. What a span costs is added to a sentence's loss as the mean
    over its steps.

    unaligned: a span that learns from attention is left out of so many of the sentences, drawn at
    random: it would keep attention from learning where to look. led: how much of the guided
    attention loss (Tachibana et al. 2018) is added; it leads attention along the diagonal. Both are
    0 where the config orders windows. See `fa_jax/training/alignment.py`.
    price: where the config orders windows, what a span that learns from attention pays for its
    width, in nats for the logarithm; at 1 it is as wide as what attention looks at.
    """
    training, free, inside = config.training, None, jnp.zeros(len(batch.ids), bool)
    threshold = training.threshold
    if training.window:
        unaligned = led = 0.0
    if _is_led(config) and training_keys is not None:
        free = _drawn(training_keys, 1, FREE_NEAR if training.in_windows else unaligned)
    if training.in_windows:
        threshold, inside = training.in_windows, inside | (training.window > 0)
    elif training.window and training_keys is not None:
        inside = _drawn(training_keys, 2, IN_WINDOWS)
        threshold = jnp.where(inside, threshold, jnp.inf)[:, None]
    bottleneck, attention = force_translation(
        params,
        config.model,
        batch.source,
        batch.source_lengths,
        batch.target,
        threshold=threshold,
        training_keys=training_keys,
        details=False,
        in_windows=NEAR if training.in_windows else None,
        lines=config.data.documents,
        free=free,
        collect=lambda attended: (
            (attended.strength, attended.cost, attended.log_width, attended.window),
            attended.gaze,
        ),
    )
    mask = (jnp.arange(batch.target.shape[1])[:, None] < batch.target_lengths).astype(jnp.float32)
    output = params["decoder"]["output"]
    negative_log_prob = weighted_cross_entropy(
        output["kernel"],
        output["bias"],
        bottleneck.reshape(-1, bottleneck.shape[-1]),
        batch.target.T.reshape(-1),
        mask.reshape(-1),
        training.label_smoothing,
    )
    sums_of_steps, gaze = attention
    if training.in_windows:  # they are wider than those that were ordered
        *others, log_width, _ = sums_of_steps
        window = jnp.exp(log_width) * 2 * jnp.sqrt(2 * training.threshold)
        sums_of_steps = *others, log_width, jnp.minimum(window, batch.source_lengths)
    strength, cost, log_width, window = ((x * mask).sum(0) for x in sums_of_steps)
    if training.window:
        cost += (price - 1) * log_width
    # A row without words has strength 0 / 1, not 0 / 0.
    reward = (training.beta * strength - cost) / jnp.maximum(batch.target_lengths, 1)
    reward *= _sentences(batch)
    loss = (negative_log_prob - reward.sum()) / sentences
    if free is not None and not training.in_windows:
        loss += led * off_diagonal(gaze, mask, batch).sum() / sentences
    positions = batch.source_lengths * batch.target_lengths / jnp.maximum(_sentences(batch), 1)
    sums = BatchSums(
        negative_log_prob,
        strength.sum(),
        mask.sum(),
        count_sentences(batch),
        scored=(window * inside).sum(),
        positions=(positions * inside).sum(),
    )
    if free is not None:
        sums = sums.replace(**variances(gaze, mask, batch.source_lengths))
    return loss, jax.lax.stop_gradient(sums)


def off_diagonal(gaze: Gaze, mask: Float[Array, "T B"], batch: Batch) -> Float[Array, " B"]:
    """How far from the diagonal a sentence's steps look on the mean: (s / S − t / T)² / 2
    `DIAGONAL`², added up over its words. How sharply they look does not count."""
    source = jnp.maximum(batch.source_lengths, 1)
    steps = jnp.arange(len(mask))[:, None] / jnp.maximum(batch.target_lengths - 1, 1)
    squares = jnp.square(gaze.mean - steps * (source - 1))
    return (squares * mask).sum(0) / (2 * jnp.square(DIAGONAL * source))


def _is_led(config: Config) -> bool:
    """Its span learns from attention, or it has none and reads whole sentences."""
    attention, training = config.model.attention, config.training
    if not isinstance(attention, AttentionConfig) or training.span_teacher != "attention":
        return False
    everywhere = isinstance(attention.span, Global) and not training.in_windows
    return bool(attention.span.network) or everywhere


def _drawn(
    keys: Key[Array, " B"], number: int, share: Float[Array, ""] | float
) -> Bool[Array, " B"]:
    """True for this share of the sentences, in expectation; a negative one is 0.

    number: each draw has its own.
    """
    return jax.vmap(lambda key: jax.random.uniform(jax.random.fold_in(key, number)) < share)(keys)


def variances(
    gaze: Gaze, mask: Float[Array, "T B"], lengths: Int[Array, " B"]
) -> dict[str, Float[Array, ""]]:
    """How far the places that a sentence's steps look at lie apart, and how far those of an even
    walk through it.

    Attention that looks at one place, or at all places, whatever the step, does not move. Nor does
    attention that shifts a little about one place, however sharply it looks there; and that covers
    little, too.
    """

    def mean(of_steps: Float[Array, "T B"]) -> Float[Array, " B"]:
        return (of_steps * mask).sum(0) / jnp.maximum(mask.sum(0), 1)

    squares, middle = jnp.square(jnp.maximum(lengths, 1)), jnp.square(mean(gaze.mean))
    moved, covered = mean(jnp.square(gaze.mean)) - middle, mean(gaze.square) - middle
    walked = (1 - 1 / squares) / 12
    sums = {"moved": moved / squares, "covered": covered / squares, "walked": walked}
    return {name: of_sentences.sum() for name, of_sentences in sums.items()}
