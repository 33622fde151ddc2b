"""By how much longer translations are favoured: as the validation set has it."""

from dataclasses import replace
from itertools import islice

import numpy as np

from fa_jax.runs.evaluate import scored
from fa_jax.runs.run import Run

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
    validation = run.pairs("validation")
    ends = validation.documents()
    ends = ends[: np.searchsorted(ends, LINES) + 1]
    pairs = list(islice(validation, ends[-1]))

    def bleu(exponent: float) -> float:
        decoding = replace(run.config.decoding, length_exponent=exponent)
        title = f"length exponent {exponent:g}"
        found = scored([run], pairs, decoding, title, documents=ends, metrics=("bleu",))
        return found.scores["bleu"]

    exponent, best = 1.0, bleu(1.0)
    while exponent > 0:
        smaller = round(exponent - STEP, 1)
        found = bleu(smaller)
        if found < best + GAIN:
            break
        exponent, best = smaller, found
    return exponent
