"""The metrics, a file each: functions that take `ScoredTexts` and give scores by name.

To add one: a file here and a row in `fa_jax.evaluation.scores.METRICS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ScoredTexts:
    """Translations and references of a corpus, one a sentence, as texts and as words."""

    language: str
    hypotheses: Sequence[str]
    references: Sequence[str]
    hypothesis_words: Sequence[Sequence[str]]
    reference_words: Sequence[Sequence[str]]
