"""What attention did at each step of a run's test translations."""

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.measuring.folders import RECORDS, write
from experiments.measuring.records import shown, windowed
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import Wanted, train_or_load
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.forced import trace_translations
from fa_jax.runs.run import Run
from fa_jax.runs.search import search_lines


@dataclass(frozen=True)
class Observations(Wanted):
    """Of a run, at its own threshold, or the largest of those tried where none loses so little."""

    run: StudyRun

    @property
    def path(self) -> Path:
        return RECORDS / "observed" / f"{self.run.name}.{shown(windowed(self.run))}.json"

    def is_recorded(self) -> bool:
        return Scores(self.run, own_threshold=True).is_recorded() and self.path.exists()

    def train_and_measure(self):
        Scores(self.run, own_threshold=True).train_and_measure()
        rows = _rows(train_or_load(self.run), windowed(self.run))
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        write(self.path, f"[{lines}]\n")

    def recorded(self) -> list[dict[str, Any]]:
        """A dict for each test sentence: `length` of its source, and of each step the `tokens`,
        their `strength`, `window` and the source position with the highest weight of all if nothing
        is left out (`aligned`)."""
        return json.loads(self.path.read_text(encoding="utf-8"))


def _rows(run: Run, threshold: float) -> Iterator[dict[str, Any]]:
    data = run.config.data
    lines = [source for source, _ in load_corpus(data.corpus, data.languages).test]
    decoding = replace(run.config.decoding, threshold=threshold)
    found = search_lines([run], lines, decoding)
    words = [result.hypotheses[0].words for result in found.results]
    print(f"tracing {run.folder} at threshold {threshold:g} ...", file=sys.stderr, flush=True)
    (ids,) = found.ids
    traces = trace_translations(run.model, decoding, ids, words)
    unhidden = replace(decoding, threshold=math.inf)
    whole = trace_translations(run.model, unhidden, ids, words)
    for source, written, trace, all_seen in zip(ids, words, traces, whole, strict=True):
        yield {
            "length": len(source),
            "tokens": [*run.target.tokens(written), "</s>"],
            "strength": np.round(trace.strength, 3).tolist(),
            "window": trace.windows.sum(1).tolist(),
            "aligned": all_seen.weights.argmax(1).tolist(),
        }
