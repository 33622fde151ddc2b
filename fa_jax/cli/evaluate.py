"""`fa-jax evaluate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import fa_jax
from fa_jax.cli.arguments import OfRuns
from fa_jax.cli.scores import summary
from fa_jax.runs.folder import as_json
from fa_jax.whole_files import write_text


@dataclass(frozen=True)
class Command(OfRuns):
    """Score a run's translations of a split of its corpus."""

    split: Literal["validation", "test"] = "test"
    json: bool = False
    """Print one JSON object."""
    output: Path | None = None
    """Also write the translations to this file, one a line."""

    def __call__(self):
        evaluation = fa_jax.evaluate(self.runs(), self.split, self.decoding)
        if self.output is not None:
            write_text(self.output, "".join(line + "\n" for line in evaluation.translations))
        scores = {"split": self.split, **evaluation.scores}
        print(as_json(scores) if self.json else summary(scores))
