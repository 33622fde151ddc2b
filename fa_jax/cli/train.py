"""`fa-jax train`."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import jax

import fa_jax
from fa_jax.cli.arguments import ATTENTION, Attention, OfPreset
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DecodingConfig, ModelConfig, TrainingConfig


@dataclass(frozen=True)
class Command(OfPreset):
    """Train a translator, keep its best checkpoint and score the test set with it.

    The same command again continues a run that was stopped.
    """

    run: Path | None = None
    """The run's folder; default: runs/LANGUAGES-PRESET."""
    coordinator: str = ""
    """Several hosts that share the run's folder: address:port of the first, the same on all."""
    processes: int = 1
    """Several hosts: how many processes take part."""
    process: int = 0
    """Several hosts: this one's number, from 0."""
    model: ModelConfig = field(default_factory=ModelConfig)
    attention: Attention = ATTENTION
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)

    def __call__(self):
        if self.coordinator:
            jax.distributed.initialize(self.coordinator, self.processes, self.process)
        model = replace(self.model, attention=self.attention.attention())
        config = Config(self.data, model, self.training, self.decoding, self.preset)
        train_and_score(lambda: fa_jax.train(config, self.run))
