"""The metrics: functions that take `ScoredTexts` and give a `Score`.

To add one: a file here and a row in `fa_jax.evaluation.scores.METRICS`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class ScoredTexts:
    """Translations and references of a corpus, one a sentence, as texts and as words."""

    language: str
    hypotheses: Sequence[str]
    references: Sequence[str]
    hypothesis_words: Sequence[Sequence[str]]
    reference_words: Sequence[Sequence[str]]


class Score(NamedTuple):
    """A number, and sacrebleu's signature: how it was computed."""

    value: float
    signature: str = ""


@dataclass(frozen=True)
class Metric:
    """A row: the name that readers see, and the function; None for languages that have no such
    score. digits: behind the point. lower_is_better: of an error rate."""

    label: str
    score: Callable[[ScoredTexts], Score | None]
    digits: int = 2
    lower_is_better: bool = False
