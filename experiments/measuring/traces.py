"""Traces of single sentences, recorded so that figures are drawn without a run."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import fa_jax
from experiments.measuring.folders import RECORDS, write
from experiments.measuring.records import RECIPE, candidates, selected, shown
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import Wanted, train_or_load
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.forced import SpanTrace

DIGITS = 4
ARRAYS = ("log_probs", "weights", "by_dimension", "windows", "focus", "strength")


@dataclass(frozen=True)
class Traces(Wanted):
    """Of the best translations of the first `count` development sentences of so many words.

    name: of the figure. threshold: None: the run's own. dimensions: of a score by dimension, so
    many of its first ones are recorded.
    """

    name: str
    run: StudyRun
    lengths: range
    count: int
    threshold: float | None = None
    dimensions: int = 0

    @property
    def path(self) -> Path:
        return RECORDS / "traces" / f"{self.name}.json"

    def is_recorded(self) -> bool:
        if not (self.path.exists() and self._scores().is_recorded()):
            return False
        kept = json.loads(self.path.read_text(encoding="utf-8"))
        return all(kept.get(key) == value for key, value in self._asked().items())

    def train_and_measure(self):
        self._scores().train_and_measure()
        run, asked = train_or_load(self.run), self._asked()
        changes = {"threshold": self._threshold(), **self.run.decoding}
        decoding = dataclasses.replace(run.config.decoding, **changes)
        found = [
            _plain(fa_jax.trace(run, sentence, decoding=decoding), self.dimensions)
            for sentence in asked["sentences"]
        ]
        write(self.path, json.dumps(asked | {"traces": found}, ensure_ascii=False) + "\n")

    def recorded(self) -> list[SpanTrace]:
        """What was recorded, a trace a sentence."""
        kept = json.loads(self.path.read_text(encoding="utf-8"))["traces"]
        arrays = [
            {name: np.asarray(one[name]) for name in ARRAYS if one[name] is not None}
            for one in kept
        ]
        return [SpanTrace(**one | of) for one, of in zip(kept, arrays, strict=True)]

    def _scores(self) -> Scores:
        """What its threshold is selected by."""
        return Scores(self.run, candidates(self.run) if self.threshold is None else (), ())

    def _threshold(self) -> float:
        return selected(self.run) if self.threshold is None else self.threshold

    def _asked(self) -> dict[str, Any]:
        pairs = load_corpus(self.run.corpus, self.run.languages).validation
        sentences = [source for source, _ in pairs if len(source.split()) in self.lengths]
        return {
            "recipe": RECIPE,
            "run": self.run.name,
            "threshold": shown(self._threshold()),
            "sentences": sentences[: self.count],
        }


def _plain(found: SpanTrace, dimensions: int) -> dict[str, Any]:
    values = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    by_dimension = found.by_dimension[:, :, :dimensions] if dimensions else None
    values |= {"by_dimension": by_dimension, "alternatives": []}
    return {name: _rounded(value) for name, value in values.items()}


def _rounded(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    return (value if value.dtype == bool else value.astype(float).round(DIGITS)).tolist()
