"""By how much longer translations are favoured: as the validation set has it."""

from dataclasses import replace
from itertools import islice

import numpy as np

from fa_jax.data.corpora import load_corpus
from fa_jax.data.tokenizers import Words
from fa_jax.evaluation.scores import score_translations
from fa_jax.runs.run import Run
from fa_jax.runs.terminal import progress_bar
from fa_jax.runs.translate import know_documents, read_sources, search, texts_of

STEP = 0.2
"""From one exponent to the next one that is tried."""
GAIN = 0.2
"""BLEU that a step must win: less may be chance, and not hold on other text."""
LINES = 1000
"""Of the validation set; documents are not cut."""


def best_length_exponent(run: Run) -> float:
    """The exponent with the best BLEU on the validation set: from 1 down, while BLEU rises.

    Beam search compares hypotheses by log p ÷ length to a power. With 1, the mean log p of a word,
    a phrase that the model knows by heart pays wherever it is appended. With 0 short translations
    win. Above 1 some hypotheses never end, on text that validation did not have.
    """
    data = run.config.data
    validation = load_corpus(data.corpus, data.languages).validation
    ends, count = None, LINES
    if know_documents([run]):
        ends = validation.documents()
        ends = ends[: np.searchsorted(ends, LINES) + 1]
        count = ends[-1]
    texts, references = zip(*islice(validation, count), strict=True)
    sources, target = read_sources(run, texts), run.target
    split = Words(target.language).tokenize

    def bleu(exponent: float) -> float:
        decoding = replace(run.config.decoding, length_exponent=exponent)
        with progress_bar(f"length exponent {exponent:g}", len(sources)) as bar:
            results = search([run], [sources], decoding, progress=bar.update, documents=ends)
        written = [found[0] for found in texts_of(run, sources, decoding, results)]
        return float(score_translations(written, references, target.language, split)["bleu"])

    exponent, best = 1.0, bleu(1.0)
    while exponent > 0:
        smaller = round(exponent - STEP, 1)
        found = bleu(smaller)
        if found < best + GAIN:
            break
        exponent, best = smaller, found
    return exponent
