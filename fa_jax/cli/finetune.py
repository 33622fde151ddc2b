"""`fa-jax finetune`."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import fa_jax
from fa_jax.cli.arguments import ATTENTION, Attention, RunFolder
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DecodingConfig, TrainingConfig
from fa_jax.presets import finetuning
from fa_jax.runs.folder import read_config


@dataclass(frozen=True)
class Command:
    """Train on from a run's best checkpoint, rewarding strong penalties (Eq. 9), in a new run.

    Of its attention, the span's settings may change. With another --flexible.sigma, strengths far
    below 1 go on penalising as they did; for characters of a small size it is 9.7.
    """

    source: RunFolder
    run: Path | None = None
    """The new run's folder; default: the old one's name with -finetuned."""
    attention: Attention = ATTENTION
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)

    def settings(self) -> Config:
        return finetuning(read_config(self.source))

    def __call__(self):
        source = fa_jax.load_run(self.source)
        model = replace(source.config.model, attention=self.attention.attention())
        changes = {"model": model, "training": self.training, "decoding": self.decoding}
        config = replace(source.config, **changes)
        train_and_score(lambda: fa_jax.finetune(source, self.run, config))
