"""Compiles what the first requests need, so that none of them waits for it."""

from itertools import product

from fa_jax.data.vocabulary import UNKNOWN
from fa_jax.decoding.forced import trace_translations
from fa_jax.decoding.local_devices import SHORTEST_SHAPE, SMALLEST_BATCH
from fa_jax.runs.run import Run
from fa_jax.serving.orders import Translations


def warm_up(run: Run) -> None:
    """Searches of few and of many lines, with and without terms, those with alternatives, and
    traces of short sentences."""
    decoding = run.config.decoding
    searches = product({1, decoding.beam_size}, (1, SMALLEST_BATCH + 1), ("a", "a %s"))
    for n_best, lines, text in searches:
        Translations(run, decoding.threshold, n_best=n_best)([text] * lines)
    for length in (SHORTEST_SHAPE, 2 * SHORTEST_SHAPE):
        words = [[UNKNOWN] * length], [[UNKNOWN] * (length - 1)]  # its end is a word, too
        trace_translations(run.model, decoding, *words)
