"""Arguments that several commands take, and the settings that their options change."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

import fa_jax
from fa_jax.config import Config, DataConfig, DecodingConfig
from fa_jax.errors import UserError
from fa_jax.presets import SIZES, SMALL_SIZES, SYSTEMS, preset
from fa_jax.runs.folder import read_config

RUN_HELP = "Folder of a run, such as runs/en-ja-small, or en-ja: a run that comes with fa_jax."
RunFolder = Annotated[Positional[Path], tyro.conf.arg(help=RUN_HELP)]
PRESETS_HELP = (
    "Settings that all other options start from: SIZE or SIZE-SYSTEM, such as small-global. Sizes: "
    f"{', '.join(SIZES)} (for accelerators, except {', '.join(SMALL_SIZES)}). Systems "
    "(VS: Shu and Nakayama 2017; FG: Choi et al. 2018; ... goes on from the system before): "
    + "; ".join(f"{name}: {system.summary}" for name, system in SYSTEMS.items())
    + ". For fine-tuned systems use fa-jax finetune, for ensembles fa-jax translate --ensemble."
)
DETERMINISTIC_HELP = (
    "On GPUs, compute the same bits at every run: one that was stopped ends exactly as an unbroken "
    "one. Training may take longer. Other devices do it anyway."
)
Deterministic = Annotated[bool, tyro.conf.arg(help=DETERMINISTIC_HELP)]


@dataclass(frozen=True)
class OfPreset:
    languages: Positional[str]
    """Source and target, such as en-ja or de-en."""
    preset: Annotated[str, tyro.conf.arg(help=PRESETS_HELP)] = "small"
    data: DataConfig = field(default_factory=DataConfig)

    def settings(self) -> Config:
        return preset(self.preset, self.languages, self.data.corpus)


@dataclass(frozen=True)
class OfRun:
    run: RunFolder
    decoding: DecodingConfig = field(default_factory=DecodingConfig)
    """How translations are searched for. A run has defaults of its own: `--help` shows them, if it
    is given with the run."""

    def settings(self) -> Config:
        return read_config(self.run)


@dataclass(frozen=True)
class OfRuns(OfRun):
    ensemble: tuple[Path, ...] = ()
    """Further runs with the same target vocabulary. All translate together. The list ends with the
    next option; put -- behind it if the first run follows."""

    def runs(self) -> list:
        return [fa_jax.load_run(folder) for folder in (self.run, *self.ensemble)]


def check_folder_of(output: Path):
    """Before any work: raises UserError where the file to write has no folder, or is one."""
    if output.is_dir():
        raise UserError(f"--output {output} is a folder; name a file, such as {output / 'new.txt'}")
    if not output.parent.is_dir():
        raise UserError(
            f"--output {output}: there is no folder {output.parent}; make it, or name another one"
        )
