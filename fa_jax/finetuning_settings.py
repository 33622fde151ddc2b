"""Settings of a training that goes on from a run: for longer, or on documents."""

import math
from dataclasses import replace

from fa_jax.attention.learnt_in_windows import learns_in_windows
from fa_jax.config import Config
from fa_jax.errors import UserError

BETA, THRESHOLD, WHOLE = 1.0, 0.8, 0.5
"""What strengths are rewarded by, τ of the windows that are learnt in (in long sentences more, by
`fa_jax.recipe`), and the share of sentences that are read whole. The paper has 0.1, ∞ and 1: then
windows stay wide."""


def finetuning(config: Config) -> Config:
    """The settings of fine-tuning: a third of a training, in windows from its first step on. Its
    windows have the τ of the training before, if that had one.

    Args:
      config: of the run to start from.

    Returns:
      What `fa_jax.finetune` takes.

    >>> config = fa_jax.finetuning(fa_jax.preset("paper", "en-ja"))
    >>> config.training.epochs, config.training.beta, config.training.threshold
    (2.0, 1.0, 0.8)
    """
    training = config.training
    third = replace(
        training,
        epochs=training.epochs / 3,
        steps=-(-training.steps // 3),
        validations=max(1, training.validations // 3),
        beta=BETA,
        threshold=training.threshold if math.isfinite(training.threshold) else THRESHOLD,
        windows_from=0.0,
        whole_sentences=WHOLE,
    )
    # Chosen anew: in other windows translations have other lengths. Documents are not translated at
    # many thresholds, which takes too long: they have that which they learn at.
    chosen = third.threshold if config.data.documents else math.inf
    decoding = replace(config.decoding, threshold=chosen, length_exponent=None)
    return replace(config, training=third, decoding=decoding)


def check_narrows(config: Config):
    """Raises UserError where no threshold narrows its windows."""
    kind = config.model.attention
    if not kind.span.follows_threshold:
        raise UserError(f"no threshold narrows the windows of {kind}; take a span such as flexible")


def learning_documents(config: Config, longest: int) -> Config:
    """The settings of learning to translate documents: a third of a training, on their passages.

    If the span has windows, attention is computed in them alone. The new run translates in the
    windows that it learns in.

    Args:
      config: of the run to start from; its corpus has documents, ended by empty lines.
      longest: tokens of a passage, either side.

    Returns:
      What `fa_jax.finetune` takes.

    >>> documents = fa_jax.learning_documents(fa_jax.preset("paper", "en-ja"), 120)
    >>> documents.data.documents, documents.data.max_length, documents.training.in_windows
    (True, 120, True)
    """
    config = finetuning(config)
    data = replace(config.data, documents=True, max_length=longest)
    kind = config.model.attention
    narrow = learns_in_windows(kind) and kind.span.narrows(config.training.threshold)
    training = replace(config.training, in_windows=narrow)
    decoding = replace(config.decoding, threshold=training.threshold)
    return replace(config, data=data, training=training, decoding=decoding)
