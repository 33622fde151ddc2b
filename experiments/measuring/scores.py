"""Scores of a run's translations, at each threshold that a table or figure asks for."""

import math
import sys
from dataclasses import dataclass, replace
from typing import Any

import fa_jax
from experiments.measuring.folders import RUNS, write
from experiments.measuring.records import (
    HALF_A_BLEU,
    LEARNT_IN,
    ORDER,
    RECIPE,
    SHARE,
    candidates,
    record_of,
    record_path,
    shown,
    translations_path,
    windowed,
)
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import (
    Wanted,
    is_trained,
    seconds_of_training,
    train_or_load,
)
from fa_jax.runs.folder import as_json
from fa_jax.runs.run import Run
from fa_jax.training.metrics import read_metrics

EXPONENT = 1.0
"""The tables compare hypotheses by the mean log p of a word, all alike; a user's run chooses."""
ROWS = 50
"""Of training's metrics, so many are recorded."""


@dataclass(frozen=True)
class Scores(Wanted):
    """validation, test: the thresholds that each set is decoded at. own_threshold: the test set
    also at the run's own, `selected` on the development set. half_a_bleu, order: the test set also
    in the narrowest windows that cost so little on the development set, and in those that have
    `SHARE` of the source there, as `fa-jax finetune` finds them."""

    run: StudyRun
    validation: tuple[float, ...] = ()
    test: tuple[float, ...] = (math.inf,)
    own_threshold: bool = False
    half_a_bleu: bool = False
    order: bool = False

    def is_recorded(self) -> bool:
        return self._searched() <= {*record_of(self.run)} and not self._missing()

    def _searched(self) -> set[str]:
        """Keys of the thresholds that are searched for."""
        asked = {HALF_A_BLEU: self.half_a_bleu, ORDER: self.order}
        return {key for key, wanted in asked.items() if wanted}

    def train_and_measure(self):
        anew = not is_trained(self.run)
        run, *others = [train_or_load(member) for member in self.run.members]
        if anew or not record_of(self.run):  # what an older training scored is no longer true
            seconds = {"seconds": seconds_of_training(self.run)}
            config = run.config
            taus = {"threshold": config.decoding.threshold}
            taus |= {LEARNT_IN: config.training.learnt_threshold}
            keep(self.run, seconds | {key: t for key, t in taus.items() if math.isfinite(t)})
        for key in self._searched() - {*record_of(self.run)}:
            decoding = replace(run.config.decoding, length_exponent=EXPONENT)
            alike = replace(run, config=replace(run.config, decoding=decoding))
            if key == ORDER:
                found = fa_jax.threshold_for_window(alike, SHARE)
            else:
                found = fa_jax.narrowest_windows(alike).chosen.threshold
            keep(self.run, record_of(self.run) | {key: found})
        while missing := self._missing():
            self._measure([run, *others], *missing[0])

    def _missing(self) -> list[tuple[str, float]]:
        """Splits and thresholds."""
        selects = self.own_threshold and "threshold" not in record_of(self.run)
        validation = {*self.validation, *(candidates(self.run) if selects else ())}
        wanted = [("validation", t) for t in sorted(validation)] + [("test", t) for t in self.test]
        record = record_of(self.run)
        wanted += [("test", record[key]) for key in self._searched() & {*record}]
        missing = [(split, t) for split, t in wanted if shown(t) not in record.get(split, {})]
        if self.own_threshold and not missing:
            own = windowed(self.run)
            missing = [] if shown(own) in record["test"] else [("test", own)]
        return missing

    def _measure(self, runs: list[Run], split: str, threshold: float):
        changes = {"threshold": threshold, "length_exponent": EXPONENT, **self.run.decoding}
        found = fa_jax.evaluate(runs, split, replace(runs[0].config.decoding, **changes))
        scores = {name: value for name, value in found.scores.items() if name != "seconds"}
        print(f"{self.run.name}, {split}, threshold {threshold:g}: BLEU {scores['bleu']:.2f}, "
              f"window {scores['window']:.2f}", file=sys.stderr, flush=True)  # fmt: skip
        if split == "test":
            lines = "".join(f"{text}\n" for text in found.translations)
            write(translations_path(self.run, threshold), lines)
        record = record_of(self.run)
        record.setdefault(split, {})[shown(threshold)] = scores
        keep(self.run, record)


def keep(run: StudyRun, record: dict[str, Any]):
    """Writes a run's record, with its command and the course of its training."""
    record |= {"recipe": RECIPE, "command": run.command, "training": _training(run)}
    write(record_path(run), as_json(record, indent=2) + "\n")


def _training(run: StudyRun) -> list[dict[str, float]]:
    """Validation scores, and the loss and strength of a row in every fifty."""
    rows = read_metrics(RUNS / run.folder)
    losses = [row for row in rows if "loss" in row]
    kept = losses[:: max(1, len(losses) // ROWS)]
    keys = ("step", "loss", "strength", "validation_bleu")
    chosen = sorted([*kept, *(r for r in rows if "validation_bleu" in r)], key=lambda r: r["step"])
    return [{key: round(row[key], 4) for key in keys if key in row} for row in chosen]
