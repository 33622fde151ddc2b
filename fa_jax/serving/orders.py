"""What the thread that translates can be asked to do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fa_jax.config import DecodingConfig
from fa_jax.pages.content import span_content
from fa_jax.runs.run import Run
from fa_jax.runs.trace import traces
from fa_jax.runs.translate import translate

PLACES = 16
"""Sentences searched at once, at most: with more, the few that wait together leave places empty."""


@dataclass(frozen=True)
class Translations:
    """Each line's translations, best first. threshold: τ. n_best: most of a line."""

    run: Run
    threshold: float
    n_best: int = 1

    def __call__(self, lines: Sequence[str]) -> list[list[str]]:
        records = translate(self.run, lines, _decoding(self.run, self.threshold), self.n_best)
        return [[found["text"] for found in record["translations"]] for record in records]


@dataclass(frozen=True)
class Traces:
    """What attention did while each line's best translation was written. threshold: τ."""

    run: Run
    threshold: float

    def __call__(self, lines: Sequence[str]) -> list[dict[str, Any]]:
        found = traces(self.run, lines, _decoding(self.run, self.threshold))
        return [span_content(trace) for trace in found]


def _decoding(run: Run, threshold: float) -> DecodingConfig:
    own = run.config.decoding
    return replace(own, threshold=threshold, batch_size=min(own.batch_size, PLACES))
