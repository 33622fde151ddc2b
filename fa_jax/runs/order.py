"""Windows by order: the threshold whose windows are as wide as the user asked for."""

import math
from dataclasses import replace

from scipy.optimize import brentq

from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.search import average_window
from fa_jax.errors import UserError
from fa_jax.runs.run import Run
from fa_jax.runs.translate import read_sources, search

NARROWEST, WIDEST = 1e-4, 1e3
"""Thresholds that are tried."""
EXACT = 0.03
"""How near the logarithm of a threshold is found: a window of about half as much."""


def window_share(run: Run, threshold: float) -> float:
    """What greedy search over the validation set scores, as a share of what it would at τ = ∞."""
    decoding = replace(run.config.decoding, threshold=threshold, beam_size=1)
    data = run.config.data
    texts = [source for source, _ in load_corpus(data.corpus, data.languages).validation]
    sources = read_sources(run, texts)
    results = search([run], [sources], decoding)
    calls = [result.calls for result in results]
    whole = sum(len(source.ids) * n for source, n in zip(sources, calls, strict=True))
    return average_window(results) * sum(calls) / max(1, whole)


def threshold_for_window(run: Run, window: float) -> float:
    """Finds the threshold (τ) whose windows have this share of the source, on the validation set.

    Args:
      run: with a flexible span.
      window: share of the source's positions that are scored, above 0 and below 1.

    Returns:
      τ, to be handed to `set_threshold`.

    Raises:
      UserError: no threshold has such windows; the message says which are the narrowest.

    >>> run = fa_jax.load_run("runs/en-ja-small")  # doctest: +SKIP
    >>> fa_jax.threshold_for_window(run, 0.4)  # doctest: +SKIP
    0.31
    """
    narrowest = window_share(run, NARROWEST)
    if not narrowest <= window <= 1:
        raise UserError(
            f"windows of {window:g} of the source cannot be had with {run.folder}: the narrowest "
            f"have {narrowest:.2f} of it, because a window always holds the focus"
        )

    def above(logarithm: float) -> float:
        return math.log(window_share(run, math.exp(logarithm)) / window)

    return math.exp(brentq(above, math.log(NARROWEST), math.log(WIDEST), xtol=EXACT))
