"""Trains a run from a config, or on from another run.

Into the folder of a run that has begun (`runs.begin`), training writes `checkpoints`,
`metrics.jsonl` and TensorBoard's `events`.
"""

import math
import os
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax

from fa_jax.attention.learnt_in_windows import learns_in_windows
from fa_jax.config import Config
from fa_jax.config_file import differences
from fa_jax.data.learnt_from import left_out
from fa_jax.data.prepared import PreparedData, prepare
from fa_jax.data.vocabulary import SPECIAL
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import LARGEST_LOSS, check_loss
from fa_jax.finetuning_settings import check_narrows, finetuning
from fa_jax.model.encoder_decoder import Params
from fa_jax.recipe import amount_of_text, told
from fa_jax.runs.begin import alone, begin_run, connect_hosts, own_codecs
from fa_jax.runs.folder import PRETRAINED, set_decoding
from fa_jax.runs.length import best_length_exponent
from fa_jax.runs.run import Run, check_run, load_run, shapes_of
from fa_jax.runs.thresholds import check_window, narrowest_windows, threshold_for_window
from fa_jax.runs.validation import check_best_by, validate
from fa_jax.terminal import say
from fa_jax.training import loop

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
    data = prepare(config.data, codecs=own_codecs(folder))
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
    check_run(run)
    config = config or finetuning(run.config)
    check_learns(config)
    check_order(config, window, largest_loss)
    if window is None and largest_loss is None and math.isinf(config.decoding.threshold):
        largest_loss = LARGEST_LOSS if config.model.attention.span.follows_threshold else None
    start = continued(run, config)
    data = prepare(config.data, codecs=(run.source, run.target))
    tuned = _trained(Path(folder or _beside(run)), config, data, start)
    if largest_loss is not None:
        say(f"looking for windows that cost at most {largest_loss:g} BLEU, on the validation set")
        found = narrowest_windows(tuned, largest_loss)
        say(str(found))
        tuned = decoding_with(tuned, threshold=found.chosen.threshold)
    elif window is not None:
        say(f"looking for windows of {window:g} of the source, on the validation set")
        tuned = decoding_with(tuned, threshold=threshold_for_window(tuned, window))
    return _with_length_exponent(tuned)


def _beside(run: Run) -> Path:
    """The folder of a run that goes on from it: a path from here, unless the run's is absolute."""
    place = run.folder.absolute()
    own = PRETRAINED not in place.parents
    folder = (place.parent if own else Path("runs").absolute()) / f"{run.name}-finetuned"
    return folder if own and run.folder.is_absolute() else Path(os.path.relpath(folder))


def continued(run: Run, config: Config) -> Params:
    """A run's parameters, for a config whose span may have other settings. Raises UserError where
    score, span or sizes are others; the message names them."""
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
    """Raises UserError where there is no such model, it cannot learn in its windows alone, or there
    is no such score to choose a checkpoint by."""
    check_best_by(config)
    shapes_of(config.model, len(SPECIAL), len(SPECIAL))
    if config.training.in_windows and not learns_in_windows(config.model.attention):
        raise UserError(
            f"{config.model.attention} needs all positions to learn: training.in_windows cannot "
            "be true"
        )


def check_order(config: Config, window: float | None, largest_loss: float | None):
    """Raises UserError where such windows cannot be had, or not at such a price."""
    if window is not None and largest_loss is not None:
        raise UserError("windows follow from their width or from their price: give one, not both")
    if window is not None:
        check_window(window)
    if largest_loss is not None:
        check_loss(largest_loss)
    if window is not None or largest_loss is not None:
        check_narrows(config)


def _trained(folder: Path, config: Config, data: PreparedData, start: Params | None) -> Run:
    connect_hosts(config, data, start)
    first = jax.process_index() == 0
    with alone(folder) if first else nullcontext():
        if first:
            begin_run(folder, config, data)
        if remark := left_out(data.train.lengths, data.max_length):
            say(remark)
        loop.train(folder, config, data, partial(validate, config=config, data=data), start)
    return load_run(folder)


def _with_length_exponent(run: Run) -> Run:
    """Chooses it, where nobody has."""
    if run.config.decoding.length_exponent is not None:
        return run
    say("choosing how translations of different lengths compare, on the validation set")
    exponent = best_length_exponent(run)
    say(f"they compare by log p ÷ length^{exponent:g} (decoding.length_exponent sets another)")
    return decoding_with(run, length_exponent=exponent)


def decoding_with(run: Run, **changes: Any) -> Run:
    """The run, and its `config.json`, with other settings of decoding."""
    return replace(run, config=set_decoding(run.folder, **changes))
