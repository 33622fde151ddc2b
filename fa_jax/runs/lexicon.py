"""A run's lexicon: likely translations of each source word."""

import os
import sys

import numpy as np
from jaxtyping import Int

from fa_jax.errors import UserError
from fa_jax.runs.folder import check_own
from fa_jax.runs.run import Run

TRANSLATIONS = 100
"""Likely translations of a word that a run keeps."""


def lexicon_of(run: Run) -> Int[np.ndarray, "source translations"]:
    """Likely translations of each source word, best first, as numbers of the target vocabulary.

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
