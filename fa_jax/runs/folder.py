"""A run's folder: where it is, its config, and how files are written into it."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from fa_jax.config import Config
from fa_jax.config_file import config_from_json, config_json
from fa_jax.errors import UserError
from fa_jax.whole_files import write_text

PRETRAINED = Path(__file__).parents[1] / "pretrained"
"""Runs that come with fa_jax; their parameters are rounded to bfloat16."""

SCORED = ("threshold", "bleu", "window", "source_length", "beam_size", "sentences")
"""What is there of each threshold in `test.json`, beside scores by other metrics."""


def run_folder(place: str | Path) -> Path:
    """A run's folder; of the name of a run that comes with fa_jax, its folder in the package."""
    place = Path(place)
    packaged = PRETRAINED / place
    return packaged if not place.exists() and packaged.is_dir() else place


def read_config(folder: str | Path) -> Config:
    """`config.json` of a run, or by its name of one that comes with fa_jax. Raises UserError where
    there is no run, or its config cannot be read."""
    path = run_folder(folder) / "config.json"
    if not path.is_file():
        packaged = ", ".join(sorted(path.name for path in PRETRAINED.iterdir()))
        why = "it has no config.json" if Path(folder).exists() else "there is no such folder"
        raise UserError(
            f"{folder} is no run: {why}. Train one with fa-jax train, or take one that comes with "
            f"fa_jax: {packaged}"
        )
    content = read_json(path)
    try:
        return config_from_json(content)
    except (UserError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error


def set_threshold(folder: str | Path, threshold: float):
    """The run decodes at this threshold (τ) from now on, where no other is asked for.

    Args:
      folder: the run's.
      threshold: τ, above 0.

    Raises:
      UserError: the run comes with fa_jax, or the threshold is not greater than 0.

    >>> fa_jax.set_threshold("runs/en-ja-small", 1.2)  # doctest: +SKIP
    """
    check_own(Path(folder))
    set_decoding(Path(folder), threshold=threshold)


def set_decoding(folder: Path, **changes: Any) -> Config:
    """Changes in `config.json` how the run decodes."""
    config = read_config(folder)
    config = replace(config, decoding=replace(config.decoding, **changes))
    write_json(folder / "config.json", config_json(config))
    return config


def check_own(folder: Path, instead: str = "copy the folder first"):
    """Raises UserError for a run that comes with fa_jax: nothing is written into it."""
    if PRETRAINED in run_folder(folder).absolute().parents:
        raise UserError(f"{folder.name} comes with fa_jax and stays as it is: {instead}")


def read_json(path: Path) -> dict[str, Any]:
    """Raises UserError where the file is missing or holds no object of JSON."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError("it holds no object of JSON")
        return content
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error


def read_scores(folder: Path) -> dict[str, dict[str, Any]]:
    """`test.json` of a run, by threshold; empty where its test set was not scored. Raises UserError
    where the file is damaged."""
    path = folder / "test.json"
    found = read_json(path) if path.exists() else {}
    for threshold, scores in found.items():
        try:
            [float(scores[name]) for name in SCORED]
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"{path} cannot be read: {error!r} in the scores at threshold {threshold}. Delete "
                "it: the test set then counts as one that was not scored"
            ) from error
    return found


def write_json(path: Path, content: dict[str, Any]):
    """`write_text` of what `as_json` gives."""
    write_text(path, as_json(content, indent=2) + "\n")


def as_json(content: dict[str, Any], indent: int | None = None) -> str:
    """JSON that every reader takes: an infinite threshold is written as "inf"."""
    return json.dumps(_without_infinity(content), indent=indent, ensure_ascii=False)


def _without_infinity(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_infinity(item) for key, item in value.items()}
    return "inf" if isinstance(value, float) and math.isinf(value) else value
