"""How a run begins in its folder, and whether one that is there may be continued.

Its folder then holds `config.json`, `corpus.json` (the digest of the text that it learns from) and
both vocabularies. Training adds `checkpoints`, `metrics.jsonl` and TensorBoard's `events`.
"""

from pathlib import Path
from typing import Any

from fa_jax.config import Config
from fa_jax.config_file import config_json
from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.data.encoded import PreparedData
from fa_jax.errors import UserError
from fa_jax.runs.folder import read_config, read_json, write_json

FREE = ("decoding.", "training.checkpoint_seconds", "preset")
"""Settings that do not change a run's course: how it decodes, how often it saves, a name."""


def begin_run(folder: Path, config: Config, data: PreparedData):
    """Writes what a new run starts with. One that is there must be of the same config and text.

    Args:
      folder: the run's; it is made.
      config: its settings.
      data: the corpus that it learns from, and both vocabularies.

    Raises:
      UserError: the folder holds a run of another config, text or vocabulary, which the message
        names, or cannot be written.
    """
    if (folder / "config.json").exists():
        _check_same(folder, config, data)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for side, codec in _codecs(data).items():
            save_codec(codec, folder, side)
        write_json(folder / "corpus.json", {"name": data.corpus.name, "digest": data.corpus.digest})
        write_json(folder / "config.json", config_json(config))  # last: now it is a run
    except OSError as error:
        raise UserError(f"run folder {folder} cannot be written: {error}") from error


def _check_same(folder: Path, config: Config, data: PreparedData):
    changed = differences(read_config(folder), config)
    if changed := [text for name, text in changed.items() if not name.startswith(FREE)]:
        raise UserError(
            f"{folder} holds a run with other settings ({'; '.join(changed)}). Continue it with "
            "its own, or choose another folder with --run"
        )
    path = folder / "corpus.json"
    if path.exists() and read_json(path)["digest"] != data.corpus.digest:
        changed = [f"the text of corpus {data.corpus.name}"]
    else:  # runs of older versions have no digest
        codecs = _codecs(data).items()
        changed = [f"the {s} vocabulary" for s, c in codecs if load_codec(folder, s) != c]
    if changed:
        raise UserError(
            f"{' and '.join(changed)} changed since {folder} began, so its parameters stand for "
            "other words. Put the text back as it was, or begin anew in another folder with --run"
        )


def _codecs(data: PreparedData) -> dict[str, TextCodec]:
    return {"source": data.source, "target": data.target}


def differences(before: Config, after: Config) -> dict[str, str]:
    """By name (`training.epochs`, `model.attention.span.sigma`): what it was and what it is."""
    old, new = (_flat(config_json(config)) for config in (before, after))
    return {
        name: f"{name} is {old.get(name)!r} there, {new.get(name)!r} here"
        for name in [*old, *(new.keys() - old.keys())]
        if old.get(name) != new.get(name)
    }


def _flat(content: dict[str, Any], where: str = "") -> dict[str, Any]:
    flat = {}
    for name, value in content.items():
        inner = isinstance(value, dict)
        flat |= _flat(value, f"{where}{name}.") if inner else {f"{where}{name}": value}
    return flat
