"""`fa-jax train`."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import jax
import tyro

import fa_jax
from fa_jax.cli.arguments import CorpusName, Languages, Preset, preset_settings
from fa_jax.cli.attention_options import AttentionOptions
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DataConfig, DecodingConfig, ModelConfig, TrainingConfig

ATTENTION = AttentionOptions()


@dataclass(frozen=True)
class Command:
    """Train a translator, keep its best checkpoint and score the test set with it.

    The same command again continues a run that was stopped.
    """

    languages: Languages
    preset: Preset = "small"
    corpus: CorpusName = ""
    run: Path | None = None
    """The run's folder; default: runs/LANGUAGES-PRESET."""
    coordinator: str = ""
    """Several hosts that share the run's folder: address:port of the first, the same on all."""
    processes: int = 1
    """Several hosts: how many processes take part."""
    process: int = 0
    """Several hosts: this one's number, from 0."""
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    attention: Annotated[AttentionOptions, tyro.conf.arg(name="")] = ATTENTION
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


settings = preset_settings


def run(command: Command):
    if command.coordinator:
        jax.distributed.initialize(command.coordinator, command.processes, command.process)
    model = replace(command.model, attention=command.attention.attention())
    config = Config(command.data, model, command.training, command.decoding, command.preset)
    train_and_score(lambda: fa_jax.train(config, command.run))
