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
    """Each line's translations, best first. threshold: τ. n_best: most of a line. split: as of
    `translate`."""

    run: Run
    threshold: float
    n_best: int = 1
    split: bool = True

    def __call__(self, lines: Sequence[str]) -> list[list[str]]:
        decoding = _decoding(self.run, self.threshold)
        records = translate(self.run, lines, decoding, self.n_best, split=self.split)
        return [[found["text"] for found in record["translations"]] for record in records]


@dataclass(frozen=True)
class Traces:
    """What attention did while each line's best translation was written. threshold: τ. split: as of
    `translate`."""

    run: Run
    threshold: float
    split: bool = True

    def __call__(self, lines: Sequence[str]) -> list[dict[str, Any]]:
        found = traces(self.run, lines, _decoding(self.run, self.threshold), split=self.split)
        return [span_content(trace) for trace in found]


def _decoding(run: Run, threshold: float) -> DecodingConfig:
    own = run.config.decoding
    return replace(own, threshold=threshold, batch_size=min(own.batch_size, PLACES))
