"""Traces of single sentences, kept in results/traces so that figures are drawn without a run."""

import dataclasses
import json
from typing import Any

import numpy as np
from trained import RESULTS, RUNS, Trained, selected, shown, train, write

from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.forced import SpanTrace
from fa_jax.run import load_run
from fa_jax.translation import trace

DIGITS = 4


def kept_traces(name: str, trained: Trained, lengths: range, count: int) -> list[SpanTrace]:
    """Of the best translations of the first development sentences of so many words, at the run's
    own threshold; made where results/traces/NAME.json does not hold them."""
    threshold = selected(trained)
    pairs = load_corpus(trained.corpus, trained.languages).validation
    sentences = [source for source, _ in pairs if len(source.split()) in lengths][:count]
    path = RESULTS / "traces" / f"{name}.json"
    wanted = {"run": trained.name, "threshold": shown(threshold), "sentences": sentences}
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if any(kept.get(key) != value for key, value in wanted.items()):
        train(trained)
        run = load_run(RUNS / trained.run)
        found = [_plain(trace(run, sentence, threshold=threshold)) for sentence in sentences]
        kept = wanted | {"traces": found}
        write(path, json.dumps(kept, ensure_ascii=False) + "\n")
    return [_trace(found) for found in kept["traces"]]


def _plain(found: SpanTrace) -> dict[str, Any]:
    values = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    values |= {"by_dimension": None, "alternatives": []}
    return {name: _rounded(value) for name, value in values.items()}


def _rounded(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    return (value if value.dtype == bool else value.astype(float).round(DIGITS)).tolist()


def _trace(kept: dict[str, Any]) -> SpanTrace:
    arrays = ("log_probs", "weights", "windows", "focus", "strength")
    return SpanTrace(**kept | {name: np.asarray(kept[name]) for name in arrays})
