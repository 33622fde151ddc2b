"""Settings of a training that goes on from a run: for longer, in ordered windows, on documents."""

import math
from dataclasses import replace

from fa_jax import attention
from fa_jax.attention.learnt_in_windows import learns_in_windows
from fa_jax.config import Config

WINDOW = 0.4
"""Share of a sentence that is ordered where a run learns from documents and nobody says which."""
THRESHOLD, NARROW = 1.2, attention.Flexible(sigma=1.0)
"""What windows by order are learnt with: the paper's threshold, and a σ that lets windows of three
positions be had before the strength comes near 1."""


def finetuning(config: Config, window: float = 0.0, beta: float = 0.0) -> Config:
    """The settings of fine-tuning: a third of a training.

    Args:
      config: of the run to start from.
      window: share of the source that windows are to have; 0: no order. Only flexible spans have
        windows to order.
      beta: where it is not 0, VS Eq. 9 instead: an epoch that rewards strong penalties by so much,
        as in the paper, which took 0.1.

    Returns:
      What `fa_jax.finetune` takes.

    >>> config = fa_jax.preset("paper", "en-ja")
    >>> ordered, papers = fa_jax.finetuning(config, window=0.3), fa_jax.finetuning(config, beta=0.1)
    >>> ordered.training.window, papers.training.epochs
    (0.3, 1.0)
    """
    # Chosen anew: in other windows translations have other lengths.
    config = replace(config, decoding=replace(config.decoding, length_exponent=None))
    config = _without_order(config)
    training = replace(config.training, beta=0.0)
    if beta:
        changes = {"beta": beta, "span_teacher": "loss", "epochs": 1.0, "steps": 0, "patience": 0}
        rates = {"learning_rate": training.learning_rate / 2, "halve_from": 0.25}
        paper = replace(training, **changes, **rates, halve_every=0.25, validations=2)
        return replace(config, training=paper)
    third = replace(
        training,
        epochs=training.epochs / 3,
        steps=-(-training.steps // 3),
        halve_from=0.4,
        halve_every=0.2,
        validations=max(1, training.validations // 3),
    )
    model = config.model
    if not window or not is_flexible(config):
        return replace(config, training=third)
    return replace(
        config,
        model=replace(model, attention=replace(model.attention, span=NARROW)),
        training=replace(third, window=window, threshold=THRESHOLD, span_teacher="attention"),
    )


def is_flexible(config: Config) -> bool:
    """Whether its model has a flexible span, which windows can be ordered of."""
    return isinstance(getattr(config.model.attention, "span", None), attention.Flexible)


def _without_order(config: Config) -> Config:
    """An earlier order ends, and with it the thresholds that it led to."""
    if not config.training.window:
        return config
    training = replace(config.training, window=0.0, threshold=math.inf)
    decoding = replace(config.decoding, threshold=math.inf)
    return replace(config, training=training, decoding=decoding)


LEARNT_FROM = 8.0
"""Threshold of windows that long text is learnt in: all of attention but e^-8 of its weight."""


def learning_documents(config: Config, longest: int, window: float = WINDOW) -> Config:
    """The settings of learning to translate documents: a third of a training, on their passages.

    If the span has windows, attention is computed in them alone. If it is flexible, its windows are
    ordered, too: a run that looks only near its focus does not depend on the length of a text.

    Args:
      config: of the run to start from; its corpus has documents, ended by empty lines.
      longest: tokens of a passage, either side.
      window: share of a sentence that windows are to have; 0: no order.

    Returns:
      What `fa_jax.finetune` takes.

    >>> documents = fa_jax.learning_documents(fa_jax.preset("paper", "en-ja"), 120)
    >>> documents.data.documents, documents.data.max_length, documents.training.in_windows
    (True, 120, 8.0)
    """
    config = finetuning(config, window)
    data = replace(config.data, documents=True, max_length=longest)
    kind = config.model.attention
    narrow = learns_in_windows(kind) and kind.span.narrows(LEARNT_FROM)
    training = replace(config.training, in_windows=LEARNT_FROM if narrow else 0.0)
    return replace(config, data=data, training=training)
