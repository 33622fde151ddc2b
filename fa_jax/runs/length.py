"""By how much longer translations are favoured: as the validation set has it."""

from dataclasses import replace
from itertools import islice

import numpy as np

from fa_jax.evaluation.scores import score_translations
from fa_jax.runs.run import Run
from fa_jax.runs.search import search_lines
from fa_jax.terminal import progress_bar

STEP = 0.2
"""From one exponent to the next one that is tried."""
GAIN = 0.2
"""BLEU that a step must win: less may be chance, and not hold on other text."""
LINES = 1000
"""Of the validation set, and those to the end of a document."""


def best_length_exponent(run: Run) -> float:
    """The exponent with the best BLEU on the validation set: from 1 down, while BLEU rises.

    Beam search compares hypotheses by log p ÷ length to a power. With 1, the mean log p of a word,
    a phrase that the model knows by heart pays wherever it is appended. With 0 short translations
    win. Above 1 some hypotheses never end, on text that validation did not have.
    """
    exponent, best = 1.0, _bleu(run, 1.0)
    while exponent > 0:
        smaller = round(exponent - STEP, 1)
        found = _bleu(run, smaller)
        if found < best + GAIN:
            break
        exponent, best = smaller, found
    return exponent


def _bleu(run: Run, exponent: float) -> float:
    validation, decoding = run.pairs("validation"), run.config.decoding
    ends = validation.documents()
    ends = ends[: np.searchsorted(ends, LINES) + 1]
    texts, references = zip(*islice(validation, ends[-1]), strict=True)
    decoding = replace(decoding, length_exponent=exponent)
    with progress_bar(f"length exponent {exponent:g}", len(texts)) as bar:
        found = search_lines(
            [run], texts, decoding, documents=ends, progress=bar.update, on_all_hosts=True
        )
    translations = [best for best, *_ in found.texts()]
    return score_translations(translations, references, run.target.language, ["bleu"])["bleu"]
