"""The folder of a run that begins, or goes on: by the settings, text and vocabularies that it had.

A run begins with `config.json`, `corpus.json` (digests of the text that it learns from and of its
vocabularies) and both vocabularies in its folder.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fa_jax.config import Config
from fa_jax.config_file import config_json, differences, settings_of
from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.data.prepared import PreparedData
from fa_jax.errors import UserError
from fa_jax.hosts import gathered
from fa_jax.model.encoder_decoder import Params
from fa_jax.recipe import amount_of_text
from fa_jax.runs.folder import read_config, read_json, write_json
from fa_jax.terminal import say
from fa_jax.training.checkpoints import checksum
from fa_jax.training.step import connect_devices

FREE = ("decoding.", "training.checkpoint_seconds", "preset")
"""Settings that do not change a run's course: how it decodes, how often it saves, a name."""

FOUND_LATER = ("lexicon.npy", "dictionary.tsv", "test.json")
"""Files of a run, made when they are first asked for."""

OF_TEXT = {"data.corpus", "data.languages"}
"""Settings that choose the text."""


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """No other process trains the run meanwhile: two would delete each other's checkpoints. Raises
    UserError where another one does, or the folder cannot be written."""
    lock = FileLock(folder / ".lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(NotImplementedError):  # some network drives have no locks
            lock.acquire(timeout=0)
    except Timeout:
        raise UserError(
            f"another process is training {folder}: wait for its end, or choose another folder"
        ) from None
    except OSError as error:
        raise UserError(f"run folder {folder} cannot be written: {error}") from error
    try:
        yield
    finally:
        lock.release()


def begin_run(folder: Path, config: Config, data: PreparedData):
    """Writes what a new run starts with. One that has learnt must be of the same config and text.

    Raises:
      UserError: the folder holds a run that has learnt by another config, text or vocabulary,
        which the message names, or cannot be written.
    """
    if _has_learnt(folder):
        _check_same(folder, config, data)
        _say_what_stays(folder, config)
        return
    try:
        for name in FOUND_LATER:  # a run that was here may have left it
            (folder / name).unlink(missing_ok=True)
        for side, codec in _codecs(data).items():
            save_codec(codec, folder, side)
        write_json(folder / "corpus.json", _learnt_from(data))
        write_json(folder / "config.json", config_json(config))  # last: now it is a run
    except OSError as error:
        raise UserError(f"run folder {folder} cannot be written: {error}") from error


def connect_hosts(config: Config, data: PreparedData, start: Params | None):
    """Hosts that train together have the same settings, text, vocabularies and first parameters.
    Where they agree, their devices are connected.

    Raises:
      UserError: on all of them; it names the hosts that differ from the first one, and in what.
    """
    digests = {f"the {side} vocabulary": codec.digest for side, codec in _codecs(data).items()}
    digests |= {"the text of the corpus": data.corpus.digest}
    digests |= {"the run to go on from": f"{checksum(start, {}):x}"} if start else {}
    own = settings_of(config) | {name: f"of digest {it[:8]}" for name, it in digests.items()}
    first, *others = gathered(own)
    differ = [
        f"on host {number} {name} is {other.get(name)}, on host 0 {first.get(name)}"
        for number, other in enumerate(others, 1)
        for name in first | other
        if first.get(name) != other.get(name)
    ]
    if differ:
        raise UserError(
            f"hosts that train together must do the same: {'; '.join(differ)}. Give all of them "
            "the same command and the same text"
        )
    connect_devices()


def own_codecs(folder: Path) -> tuple[TextCodec, TextCodec] | None:
    """The vocabularies that a run goes on with: another version would learn others of its text.
    None of one that has not learnt."""
    if not _has_learnt(folder):
        return None
    return load_codec(folder, "source"), load_codec(folder, "target")


def _check_same(folder: Path, config: Config, data: PreparedData):
    changed = differences(read_config(folder), config)
    changed = {name: text for name, text in changed.items() if not name.startswith(FREE)}
    began, now = read_json(folder / "corpus.json"), _learnt_from(data)
    other_text = began.get("digest") != now["digest"]
    # Some settings follow from the amount of text: where the text changed, that is what to say.
    if changed and (not other_text or not OF_TEXT.isdisjoint(changed)):
        longer = f". To train it for longer: fa-jax finetune {folder}"
        raise UserError(
            f"{folder} holds a run with other settings ({'; '.join(changed.values())}). Continue "
            "it with its own, or choose another folder for this run"
            + (longer if "training.steps" in changed else "")
        )
    if other_text:
        changed = [f"the text of corpus {data.corpus.name}"]
    else:
        digests = began.get("vocabularies", {})
        changed = [
            f"the {side} vocabulary"
            for side, digest in now["vocabularies"].items()
            if {digest, load_codec(folder, side).digest} != {digests.get(side)}
        ]
    if changed:
        raise UserError(
            f"{' and '.join(changed)} changed since {folder} began, so its parameters stand for "
            "other words. Put the text back, or begin anew in another folder"
        )


def _say_what_stays(folder: Path, config: Config):
    """How a run decodes may have been chosen since it began, so it is not what this config has.
    Of what this one asks for, that is said."""
    asked, usual = settings_of(config), settings_of(Config())
    stays = [
        text
        for name, text in differences(read_config(folder), config).items()
        if name.startswith("decoding.") and asked.get(name) != usual.get(name)
    ]
    if stays:
        say(f"{folder} decodes as its config.json says: {'; '.join(stays)}")


def _has_learnt(folder: Path) -> bool:
    return any(place.name.isdigit() for place in folder.glob("checkpoints/*/*"))


def _learnt_from(data: PreparedData) -> dict[str, Any]:
    digests = {side: codec.digest for side, codec in _codecs(data).items()}
    text = {"name": data.corpus.name, "digest": data.corpus.digest}
    return text | {"vocabularies": digests, "ended": amount_of_text(data.corpus).ended}


def _codecs(data: PreparedData) -> dict[str, TextCodec]:
    return {"source": data.source, "target": data.target}
