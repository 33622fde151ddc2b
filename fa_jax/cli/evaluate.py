"""`fa-jax evaluate`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import fa_jax
from fa_jax.cli.arguments import Ensemble, RunFolder, run_settings
from fa_jax.cli.scores import summary
from fa_jax.config import DecodingConfig
from fa_jax.runs.folder import as_json, write_text


@dataclass(frozen=True)
class Command:
    """Score a run's translations of a split of its corpus."""

    run: RunFolder
    ensemble: Ensemble = ()
    split: Literal["validation", "test"] = "test"
    json: bool = False
    """Print one JSON object."""
    output: Path | None = None
    """Also write the translations to this file, one a line."""
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


settings = run_settings


def run(command: Command):
    runs = [fa_jax.load_run(folder) for folder in (command.run, *command.ensemble)]
    evaluation = fa_jax.evaluate(runs, command.split, command.decoding)
    if command.output is not None:
        write_text(command.output, "".join(line + "\n" for line in evaluation.translations))
    scores = {"split": command.split, **evaluation.scores}
    print(as_json(scores) if command.json else summary(scores))
