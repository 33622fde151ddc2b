"""Arguments that several commands take, and the settings that they stand for."""

from pathlib import Path
from typing import Annotated, Any

import tyro

from fa_jax.config import Config
from fa_jax.presets import PRESETS_HELP, preset
from fa_jax.runs.folder import read_config

CORPUS_HELP = "Name of a corpus, several joined by '+', or a folder; default: the languages' own."
RUN_HELP = "A run's folder, such as runs/en-ja-small, or en-ja: a run that comes with fa_jax."
ENSEMBLE_HELP = (
    "Further runs of the same target vocabulary: all translate together. The list ends with the "
    "next option, or with -- where the run follows."
)
Languages = Annotated[
    str, tyro.conf.Positional, tyro.conf.arg(help="Source and target, such as en-ja or de-en.")
]
Preset = Annotated[str, tyro.conf.arg(help=PRESETS_HELP)]
CorpusName = Annotated[str, tyro.conf.arg(help=CORPUS_HELP)]
RunFolder = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(help=RUN_HELP)]
Ensemble = Annotated[tuple[Path, ...], tyro.conf.arg(help=ENSEMBLE_HELP)]


def preset_settings(command: Any) -> Config:
    """Those of the preset, for the languages and corpus that the command names."""
    return preset(command.preset, command.languages, command.corpus or command.data.corpus)


def run_settings(command: Any) -> Config:
    """Those of the run that the command names."""
    return read_config(command.run)
