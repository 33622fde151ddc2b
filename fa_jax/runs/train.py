"""Trains a run from a config, or on from another run.

A run begins with `config.json`, `corpus.json` (digests of the text that it learns from and of its
vocabularies) and both vocabularies in its folder. Training adds `checkpoints`, `metrics.jsonl` and
TensorBoard's `events`.
"""

import hashlib
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
from filelock import FileLock, Timeout

from fa_jax.attention.learnt_in_windows import learns_in_windows
from fa_jax.config import Config
from fa_jax.config_file import config_json
from fa_jax.data.codec import TextCodec, load_codec, save_codec
from fa_jax.data.prepared import PreparedData, prepare
from fa_jax.data.remarks import left_out
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import LARGEST_LOSS, check_loss
from fa_jax.finetuning_settings import finetuning, is_flexible
from fa_jax.model.encoder_decoder import Params
from fa_jax.recipe import amount_of_text, told
from fa_jax.runs.folder import PRETRAINED, read_config, read_json, set_decoding, write_json
from fa_jax.runs.length import best_length_exponent
from fa_jax.runs.order import narrowest_windows, threshold_for_window
from fa_jax.runs.run import Run, load_run
from fa_jax.runs.terminal import say
from fa_jax.runs.validation import validate
from fa_jax.training import loop

FREE = ("decoding.", "training.checkpoint_seconds", "preset")
"""Settings that do not change a run's course: how it decodes, how often it saves, a name."""
MAY_CHANGE = ("model.dropout", "model.compute_dtype", "model.rematerialize", "model.attention.span")
"""What fine-tuning may change of a model: how it is computed, and its span's settings."""


def train(config: Config, folder: str | Path | None = None) -> Run:
    """Trains a run to its config's end and reads it back. Continues one that was stopped.

    Vocabularies and token numbers are prepared first, and kept in the user's cache folder.

    Args:
      config: of a preset, or your own.
      folder: the run's; default: runs/LANGUAGES-PRESET.

    Returns:
      The run, with the parameters of its best validation.

    Raises:
      UserError: no such corpus; the folder holds another run; the loss is not finite.
      fa_jax.training.loop.Interrupted: SIGTERM or Ctrl-C; everything is saved.

    >>> config = fa_jax.preset("small-global", "en-ja")
    >>> run = fa_jax.train(config, "runs/global")  # doctest: +SKIP
    """
    check_learns(config)
    folder = Path(folder or f"runs/{config.data.languages}-{config.preset}")
    data = prepare(config.data, codecs=_own_codecs(folder))
    say(told(config, amount_of_text(data.corpus)))
    return _with_length_exponent(_trained(folder, config, data, None))


def finetune(
    run: Run,
    folder: str | Path | None = None,
    config: Config | None = None,
    *,
    window: float | None = None,
    largest_loss: float | None = None,
) -> Run:
    """Trains a run further, from its best checkpoint. The result is a new run.

    If its span is flexible, it learns in windows (VS Eq. 9), and the threshold of its translations
    is chosen on the validation set: by how wide windows are, or by what they cost.

    Args:
      run: where it starts from; its folder stays as it is.
      folder: the new run's; default: the old one's name with -finetuned.
      config: the new run's; default: `finetuning` of the old one's. Its span may have other
        settings.
      window: share of the source's positions that are to be scored, such as 0.4.
      largest_loss: BLEU that windows may cost, against the new run with all positions scored.
        Default: half a BLEU of a flexible span, if the config has no threshold for decoding.

    Returns:
      The new run, with the parameters of its best validation.

    Raises:
      UserError: the config's model is another one; a loss below 0, a window that cannot be had, or
        one of them of a span that is not flexible; or as `train`.
      fa_jax.training.loop.Interrupted: SIGTERM or Ctrl-C; everything is saved.

    >>> tuned = fa_jax.finetune(fa_jax.load_run("runs/en-ja-small"))  # doctest: +SKIP
    """
    config = config or finetuning(run.config)
    check_learns(config)
    check_order(config, window, largest_loss)
    if window is None and largest_loss is None and math.isinf(config.decoding.threshold):
        largest_loss = LARGEST_LOSS if is_flexible(config) else None
    start = continued(run, config)
    if folder is None:
        own = PRETRAINED not in run.folder.absolute().parents
        folder = (run.folder.absolute().parent if own else Path("runs")) / f"{run.name}-finetuned"
    data = prepare(config.data, codecs=(run.source, run.target))
    tuned = _trained(Path(folder), config, data, start)
    if largest_loss is not None:
        say(f"looking for windows that cost at most {largest_loss:g} BLEU, on the validation set")
        found = narrowest_windows(tuned, largest_loss)
        say(str(found))
        tuned = decoding_with(tuned, threshold=found.chosen.threshold)
    elif window is not None:
        say(f"looking for windows of {window:g} of the source, on the validation set")
        tuned = decoding_with(tuned, threshold=threshold_for_window(tuned, window))
    return _with_length_exponent(tuned)


def continued(run: Run, config: Config) -> Params:
    """A run's parameters, for a config whose span may have other settings.

    Raises:
      UserError: score, span or sizes are others; the message names them.
    """
    changed = {
        text
        for name, text in differences(run.config, config).items()
        if name.startswith("model.") and (name.endswith(".name") or not name.startswith(MAY_CHANGE))
    }
    if changed:
        raise UserError(
            f"fine-tuning keeps the model of {run.folder}; these settings differ from it: "
            f"{'; '.join(sorted(changed))}"
        )
    before, after = run.config.model.attention, config.model.attention
    decoder = run.params["decoder"]
    attention = after.span.continued(decoder["attention"], before.span)
    return run.params | {"decoder": decoder | {"attention": attention}}


def check_learns(config: Config):
    """Raises UserError where a model cannot learn in its windows alone."""
    if config.training.in_windows and not learns_in_windows(config.model.attention):
        raise UserError(
            f"{config.model.attention} needs all positions to learn: leave out "
            "--training.in-windows"
        )


def check_order(config: Config, window: float | None, largest_loss: float | None):
    """Raises UserError where such windows cannot be had, or not at such a price."""
    if window is not None and largest_loss is not None:
        raise UserError("windows follow from their width or from their price: give one, not both")
    if window is not None and not 0 < window <= 1:
        raise UserError(f"a window is a share of the source, such as 0.4 for 40%; got {window:g}")
    if largest_loss is not None:
        check_loss(largest_loss)
    if (window is not None or largest_loss is not None) and not is_flexible(config):
        raise UserError(
            f"windows can be ordered of a flexible span alone, not of {config.model.attention}"
        )


def _trained(folder: Path, config: Config, data: PreparedData, start: Params | None) -> Run:
    with alone(folder) if jax.process_index() == 0 else nullcontext():
        if jax.process_index() == 0:
            begin_run(folder, config, data)
            if remark := left_out(data):
                print(remark, file=sys.stderr)
        loop.train(folder, config, data, partial(validate, config=config, data=data), start)
    return load_run(folder)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """No other process trains the run meanwhile: two would delete each other's checkpoints.

    Raises:
      UserError: another one does, or the folder cannot be written.
    """
    lock = FileLock(folder / ".lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(NotImplementedError):  # some network drives have no locks
            lock.acquire(timeout=0)
    except Timeout:
        raise UserError(
            f"another process is training {folder}: wait for its end, or choose another folder "
            "with --run"
        ) from None
    except OSError as error:
        raise UserError(f"run folder {folder} cannot be written: {error}") from error
    try:
        yield
    finally:
        lock.release()


def _with_length_exponent(run: Run) -> Run:
    """Chooses it, where nobody has."""
    if run.config.decoding.length_exponent is not None:
        return run
    say("choosing how translations of different lengths compare, on the validation set")
    exponent = best_length_exponent(run)
    say(f"they compare by log p ÷ length^{exponent:g} (--decoding.length-exponent sets another)")
    return decoding_with(run, length_exponent=exponent)


def decoding_with(run: Run, **changes: Any) -> Run:
    """The run, and its `config.json`, with other settings of decoding."""
    if jax.process_index() == 0:
        set_decoding(run.folder, **changes)
    decoding = replace(run.config.decoding, **changes)
    return replace(run, config=replace(run.config, decoding=decoding))


def begin_run(folder: Path, config: Config, data: PreparedData):
    """Writes what a new run starts with. One that has learnt must be of the same config and text.

    Args:
      folder: the run's; it is made.
      config: its settings.
      data: the corpus that it learns from, and both vocabularies.

    Raises:
      UserError: the folder holds a run that has learnt by another config, text or vocabulary,
        which the message names, or cannot be written.
    """
    if _has_learnt(folder):
        _check_same(folder, config, data)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for side, codec in _codecs(data).items():
            save_codec(codec, folder, side)
        digests = {side: _digest(codec) for side, codec in _codecs(data).items()}
        corpus = {"name": data.corpus.name, "digest": data.corpus.digest, "vocabularies": digests}
        write_json(folder / "corpus.json", corpus)
        write_json(folder / "config.json", config_json(config))  # last: now it is a run
    except OSError as error:
        raise UserError(f"run folder {folder} cannot be written: {error}") from error


def _check_same(folder: Path, config: Config, data: PreparedData):
    changed = differences(read_config(folder), config)
    if changed := {name: text for name, text in changed.items() if not name.startswith(FREE)}:
        longer = f". To train it for longer: fa-jax finetune {folder}"
        raise UserError(
            f"{folder} holds a run with other settings ({'; '.join(changed.values())}). Continue "
            "it with its own, or choose another folder with --run"
            + (longer if "training.steps" in changed else "")
        )
    path = folder / "corpus.json"
    began = read_json(path) if path.exists() else {}  # runs of older versions lack some digests
    if began.get("digest", data.corpus.digest) != data.corpus.digest:
        changed = [f"the text of corpus {data.corpus.name}"]
    else:
        digests = began.get("vocabularies", {})
        changed = [
            f"the {side} vocabulary"
            for side, codec in _codecs(data).items()
            if load_codec(folder, side) != codec
            or digests.get(side, _digest(codec)) != _digest(codec)
        ]
    if changed:
        raise UserError(
            f"{' and '.join(changed)} changed since {folder} began, so its parameters stand for "
            "other words. Put the text back, or begin anew with another folder (--run)"
        )


def _has_learnt(folder: Path) -> bool:
    return any(place.name.isdigit() for place in folder.glob("checkpoints/*/*"))


def _own_codecs(folder: Path) -> tuple[TextCodec, TextCodec] | None:
    """The vocabularies that a run goes on with: another version would learn others of its text.
    None of one that has not learnt, or has no digest to know its text by."""
    if not _has_learnt(folder) or not (folder / "corpus.json").exists():
        return None
    return load_codec(folder, "source"), load_codec(folder, "target")


def _digest(codec: TextCodec) -> str:
    return hashlib.sha256(repr(codec.files()).encode()).hexdigest()


def _codecs(data: PreparedData) -> dict[str, TextCodec]:
    return {"source": data.source, "target": data.target}


def differences(before: Config, after: Config) -> dict[str, str]:
    """By name (`training.epochs`, `model.attention.span.sigma`): what it was and what it is."""
    old, new = (_flat(config_json(config)) for config in (before, after))
    return {
        name: f"{name} is {old.get(name)!r} there, {new.get(name)!r} here"
        for name in old | new
        if old.get(name) != new.get(name)
    }


def _flat(content: dict[str, Any]) -> dict[str, Any]:
    leaves = jax.tree_util.tree_leaves_with_path(content)
    return {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves}
