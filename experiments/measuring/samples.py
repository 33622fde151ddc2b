"""Smaller corpora than those that there are: samples of their training sets."""

from pathlib import Path

import numpy as np

from experiments.measuring.folders import RUNS, write
from fa_jax.data.corpora import load_corpus
from fa_jax.data.corpora.text_files import SPLITS


def sample_folder(corpus: str, languages: str, pairs: int) -> Path:
    """A folder that holds so many training pairs of a corpus, evenly spaced, and all of its
    validation and test set. It is written where it is not there.

    Returns:
      Its path from the repository's root.
    """
    folder = RUNS / "corpora" / f"{corpus}-{pairs}"
    whole = load_corpus(corpus, languages)
    for split in SPLITS:
        found, path = getattr(whole, split), folder / f"{split}.tsv"
        if path.exists():
            continue
        count = pairs if split == "train" else len(found)
        rows = np.linspace(0, len(found) - 1, count).astype(int).tolist()
        lines = ["\t".join(languages.split("-")), *("\t".join(found[row]) for row in rows)]
        write(path, "".join(f"{line}\n" for line in lines))
    return folder.relative_to(RUNS.parent)
