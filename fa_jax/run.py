"""A run's folder: config, vocabularies, checkpoints, metrics. Translating needs nothing else."""

import dataclasses
import json
import math
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jaxtyping import Int

from fa_jax.config import Config, DataConfig, DecodingConfig, ModelConfig, TrainingConfig
from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.decoding.translate import Translator
from fa_jax.errors import UserError
from fa_jax.model.translator import Params, init_translator
from fa_jax.training.checkpoints import Checkpoints

SECTIONS = {
    "data": DataConfig,
    "model": ModelConfig,
    "training": TrainingConfig,
    "decoding": DecodingConfig,
}

PRETRAINED = Path(__file__).parent / "pretrained"
"""Runs that come with fa_jax; their parameters are rounded to bfloat16."""
TRANSLATIONS = 100
"""Likely translations of a word that a run keeps."""


@dataclass(frozen=True)
class Run:
    """A trained run, ready to translate. params: of the best checkpoint, taken at `step`."""

    folder: Path
    config: Config
    source: TextCodec
    target: TextCodec
    params: Params
    step: int
    validation_bleu: float

    @property
    def translator(self) -> Translator:
        """Its model."""
        return Translator(self.params, self.config.model)


def load_run(folder: str | Path) -> Run:
    """Reads a run, or by its name the one that comes with fa_jax: "en-ja". Executes nothing of it.

    Raises:
      UserError: no such run, one without a whole checkpoint, or one whose files do not fit.
    """
    folder = run_folder(folder)
    config = read_config(folder)
    source, target = load_codec(folder, "source"), load_codec(folder, "target")
    if not (folder / "checkpoints" / "best").is_dir():
        raise UserError(f"run {folder} has no validated checkpoint yet: train it further")
    like = jax.eval_shape(
        lambda: init_translator(
            jax.random.key(0), config.model, len(source.vocabulary), len(target.vocabulary)
        )
    )
    best = Checkpoints(folder, "best")
    step, params, note = best.restore(like)
    best.close()
    return Run(folder, config, source, target, params, step, note["validation_bleu"])


def run_folder(place: str | Path) -> Path:
    """A run's folder; of the name of a run that comes with fa_jax, its folder in the package."""
    place = Path(place)
    packaged = PRETRAINED / place
    return packaged if not place.exists() and packaged.is_dir() else place


def ensemble(runs: "Run | Sequence[Run]") -> list[Run]:
    """Runs that translate together.

    Raises:
      UserError: there is none, or their target vocabularies differ.
    """
    runs = [runs] if isinstance(runs, Run) else list(runs)
    if not runs:
        raise UserError("an ensemble needs at least one run")
    for other in runs[1:]:
        if other.target != runs[0].target:
            raise UserError(
                f"{runs[0].folder} and {other.folder} have different target vocabularies: an "
                "ensemble needs runs of one, such as runs of one corpus that differ in their seed"
            )
    return runs


def lexicon_of(run: Run) -> Int[np.ndarray, "source translations"]:
    """Likely translations of each source word, best first.

    Learnt once on the run's corpus, when they are first asked for, and kept in the run's folder.

    Raises:
      UserError: the corpus is not there, the file is damaged, or the run comes with fa_jax.
    """
    path = run.folder / "lexicon.npy"
    if not path.exists():
        check_own(run.folder)
        from fa_jax.data.encoded import prepare
        from fa_jax.data.lexicon import learn_lexicon

        print(f"learning likely translations of words into {path} ...", file=sys.stderr)
        data = prepare(run.config.data, codecs=(run.source, run.target))
        sizes = len(run.source.vocabulary), len(run.target.vocabulary)
        beside = path.with_name("lexicon.new.npy")
        np.save(beside, learn_lexicon(data.train, *sizes, TRANSLATIONS))
        os.replace(beside, path)
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}. Delete it: it is learnt again") from error


def begin_run(folder: Path, config: Config, source: TextCodec, target: TextCodec):
    """Writes what a new run starts with; a run that is there must be of the same config.

    Raises:
      UserError: the folder holds a run of another config; the message says where they differ.
    """
    path = folder / "config.json"
    if path.exists():
        if different := _differences(read_config(folder), config):
            raise UserError(
                f"{folder} holds a run with other settings ({'; '.join(different)}). Continue it "
                "with its own, or choose another folder with --run"
            )
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_codec(source, folder, "source")
        save_codec(target, folder, "target")
        write_json(path, dataclasses.asdict(config))
    except OSError as error:
        raise UserError(f"run folder {folder} cannot be written: {error}") from error


def read_config(folder: Path) -> Config:
    """`config.json` of a run."""
    path = run_folder(folder) / "config.json"
    if not path.is_file():
        packaged = ", ".join(sorted(path.name for path in PRETRAINED.iterdir()))
        raise UserError(
            f"{folder} is no run: it has no config.json. Train one with fa-jax train, or take one "
            f"that comes with fa_jax: {packaged}"
        )
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sections = {name: kind(**_numbers(content[name])) for name, kind in SECTIONS.items()}
        return Config(**sections, preset=content["preset"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error


def set_threshold(folder: Path, threshold: float):
    """The run decodes at this threshold from now on, where no other is asked for.

    Raises:
      UserError: the run comes with fa_jax.
    """
    check_own(folder)
    config = read_config(folder)
    decoding = dataclasses.replace(config.decoding, threshold=threshold)
    changed = dataclasses.replace(config, decoding=decoding)
    write_json(folder / "config.json", dataclasses.asdict(changed))


def check_own(folder: Path):
    """Raises UserError for a run that comes with fa_jax: nothing is written into it."""
    if PRETRAINED in folder.absolute().parents:
        raise UserError(f"{folder} comes with fa_jax and stays as it is: copy the folder first")


def write_json(path: Path, content: dict[str, Any]):
    """`write_text` of what `as_json` gives."""
    write_text(path, as_json(content, indent=2) + "\n")


def write_text(path: Path, text: str):
    """Writes beside, then renames: what was there stays whole until the new file is."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def as_json(content: dict[str, Any], indent: int | None = None) -> str:
    """JSON that every reader takes: an infinite threshold is written as "inf"."""
    return json.dumps(_without_infinity(content), indent=indent, ensure_ascii=False)


def _without_infinity(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_infinity(item) for key, item in value.items()}
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def _numbers(section: dict[str, Any]) -> dict[str, Any]:
    return {name: math.inf if value == "inf" else value for name, value in section.items()}


def _differences(old: Config, new: Config) -> list[str]:
    """Settings that change a run's course. How it decodes and how often it saves may change."""
    free = {"decoding", "training.checkpoint_seconds"}
    found = []
    for section in SECTIONS:
        before, after = (dataclasses.asdict(getattr(c, section)) for c in (old, new))
        found += [
            f"{section}.{name} is {before[name]!r} there, {after[name]!r} here"
            for name in before
            if before[name] != after[name] and not {section, f"{section}.{name}"} & free
        ]
    return found
