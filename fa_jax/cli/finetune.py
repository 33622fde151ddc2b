"""`fa-jax finetune`."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import tyro

import fa_jax
from fa_jax.cli.arguments import RunFolder
from fa_jax.cli.attention_options import AttentionOptions
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DecodingConfig, TrainingConfig
from fa_jax.presets import finetuning
from fa_jax.runs.folder import read_config

ATTENTION = AttentionOptions()


@dataclass(frozen=True)
class Command:
    """Train on from a run's best checkpoint, rewarding strong penalties (Eq. 9), in a new run.

    Of its attention, the span's settings may change. With another --flexible.sigma, strengths far
    below 1 go on penalising as they did; for characters of a small size it is 9.7.
    """

    source: RunFolder
    run: Path | None = None
    """The new run's folder; default: the old one's name with -finetuned."""
    attention: Annotated[AttentionOptions, tyro.conf.arg(name="")] = ATTENTION
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


def settings(command: Command) -> Config:
    """Those of the run, as fine-tuning changes them."""
    return finetuning(read_config(command.source))


def run(command: Command):
    source = fa_jax.load_run(command.source)
    model = replace(source.config.model, attention=command.attention.attention())
    config = replace(
        source.config, model=model, training=command.training, decoding=command.decoding
    )
    train_and_score(lambda: fa_jax.finetune(source, command.run, config))
