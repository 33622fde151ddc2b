"""One process of a small training: to its end, or to where it is stopped."""

import os
import signal
from dataclasses import replace
from functools import partial
from pathlib import Path

import jax
import numpy as np
import tyro

from fa_jax.cache import set_up_process
from fa_jax.compiler import SAME_BITS, ask_in_all_programs
from fa_jax.config import Config
from fa_jax.data.prepared import prepare
from fa_jax.presets import preset
from fa_jax.runs.begin import begin_run
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.loop import Interrupted, train
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.step import init_state

ARRAYS = "arrays.npz"
"""Every array of the last checkpoint, in the run's folder."""
SIZES = ("embedding_size", "encoder_size", "decoder_size", "attention_size", "bottleneck_size")


def train_aside(
    run: Path,
    corpus: Path,
    stop: bool = False,
    deterministic: bool = False,
    smallest: bool = False,
):
    """Trains, and writes every array when it is at its end.

    Args:
      stop: whether it is stopped in its middle, as by Ctrl-C.
    """
    if deterministic:
        ask_in_all_programs(SAME_BITS)
    set_up_process()
    config = _config(corpus, smallest)
    data = prepare(config.data)
    begin_run(run, config, data)

    def validate(*of) -> float:
        if stop:
            os.kill(os.getpid(), signal.SIGTERM)
        return 0.0

    try:
        train(run, config, data, validate)
    except Interrupted:
        return
    sizes = len(data.source.vocabulary), len(data.target.vocabulary)
    like = jax.eval_shape(partial(init_state, config, make_optimizer(config.training), *sizes))
    _, state, _ = Checkpoints(run, "latest").restore(like)
    named = jax.tree_util.tree_leaves_with_path(state)
    arrays = {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in named}
    np.savez(run / ARRAYS, **arrays)


def _config(corpus: Path, smallest: bool) -> Config:
    """The small preset with dropout, on characters; validated halfway and at its end."""
    config = preset("small", "en-ja", str(corpus))
    sizes = dict.fromkeys(SIZES, 8) if smallest else {}
    letters = {"tokenizer": "character", "source_vocabulary": 200, "target_vocabulary": 1000}
    training = replace(
        config.training, batch_size=64, steps=4 if smallest else 12, epochs=9.0, validations=2
    )
    return replace(
        config,
        data=replace(config.data, max_length=100, padded_shapes=1, **letters),
        model=replace(config.model, dropout=0.1, **sizes),
        training=training,
    )


if __name__ == "__main__":
    tyro.cli(train_aside)
