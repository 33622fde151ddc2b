"""`fa-jax train`."""

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import fa_jax
from fa_jax.cli.arguments import Deterministic, OfPreset
from fa_jax.cli.hosts import AS_FOUND, Hosts
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DecodingConfig, ModelConfig, TrainingConfig
from fa_jax.terminal import say


@dataclass(frozen=True)
class Command(OfPreset):
    """Train a translator, keep its best checkpoint, and score the test set with it.

    If training was stopped, give the same command again: it goes on where it was. Small presets
    choose vocabularies, dropout, steps and batches by the amount of text, and training begins with
    a line that names them. --help with languages and a preset shows their settings as defaults.
    """

    run: Path | None = None
    """Folder of the run. Default: runs/LANGUAGES-PRESET."""
    hosts: Hosts = AS_FOUND
    deterministic: Deterministic = False
    dry_run: bool = False
    """Only say what the training needs: memory, disk and time. It prepares the text, does four
    steps, and keeps nothing of them."""
    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)

    def __call__(self):
        attention = self.model.attention
        score = attention.score.for_sources(self.decoding.max_source_length)
        model = replace(self.model, attention=replace(attention, score=score))
        config = Config(self.data, model, self.training, self.decoding, self.preset)
        if self.dry_run:
            from fa_jax.runs.forecast import forecast  # it asks the system, which not all answer

            for part in forecast(config):
                say(str(part), to=sys.stdout)
            return
        train_and_score(lambda: fa_jax.train(config, self.run))
