"""The perplexity of the test set's references, by a run."""

from dataclasses import dataclass

import fa_jax
from experiments.measuring.records import record_of
from experiments.measuring.scores import Scores, keep
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import Wanted, train_or_load


@dataclass(frozen=True)
class Perplexity(Wanted):
    """At τ = ∞."""

    run: StudyRun

    def is_recorded(self) -> bool:
        return "perplexity" in record_of(self.run)

    def train_and_measure(self):
        Scores(self.run).train_and_measure()
        run = train_or_load(self.run)
        keep(self.run, record_of(self.run) | {"perplexity": fa_jax.perplexity(run)})

    def recorded(self) -> float:
        """What was measured."""
        return record_of(self.run)["perplexity"]
