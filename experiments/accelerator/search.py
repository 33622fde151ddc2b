"""Beam search by the run that comes with fa_jax: how long, and does every implementation agree?"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

from experiments.accelerator.conditions import Conditions
from fa_jax.attention.implementation import IMPLEMENTATIONS
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.search import search
from fa_jax.runs.run import load_run

THRESHOLD = 1.2


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """A row for each implementation."""
    run = load_run("en-ja")
    test = load_corpus("tatoeba_en_ja", "en-ja").test
    count = 4 if conditions.smallest else 200
    sources = [[run.source.encode(test[row][0])] for row in range(count)]

    def translated(implementation: str) -> list[list[int]]:
        decoding = replace(run.config.decoding, threshold=THRESHOLD, implementation=implementation)
        return [found.hypotheses[0].words for found in search([run.model], decoding, [sources])]

    by_dense = cache(partial(translated, "dense"))

    def row(implementation: str) -> dict[str, Any]:
        began = time.perf_counter()
        translated(implementation)
        compiled = time.perf_counter()
        found = translated(implementation)
        ended = time.perf_counter()
        return {
            "lines": count,
            "seconds": ended - compiled,
            "first": compiled - began,
            "alike": sum(a == b for a, b in zip(found, by_dense(), strict=True)) / count,
        }

    return {name: partial(row, name) for name in IMPLEMENTATIONS}
