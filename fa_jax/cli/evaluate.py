"""`fa-jax evaluate`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import fa_jax
from fa_jax.cli.arguments import OfRuns, check_folder_of
from fa_jax.cli.hosts import AS_FOUND, Hosts
from fa_jax.cli.scores import summary
from fa_jax.runs.folder import as_json
from fa_jax.terminal import say
from fa_jax.whole_files import write_text


@dataclass(frozen=True)
class Command(OfRuns):
    """Translate the test set of a run's corpus, or the validation set, and score it."""

    split: Literal["validation", "test"] = "test"
    json: bool = False
    """Print one JSON object."""
    perplexity: bool = False
    """Also print how well the first run predicts the references (perplexity)."""
    output: Path | None = None
    """Also write the translations to this file, one a line."""
    hosts: Hosts = AS_FOUND

    def __call__(self):
        if self.output is not None:
            check_folder_of(self.output)
        runs = self.runs()
        evaluation = fa_jax.evaluate(runs, self.split, self.decoding)
        scores: dict[str, Any] = {"split": self.split}
        if self.perplexity:
            scores["perplexity"] = fa_jax.perplexity(runs[0], self.split, self.decoding)
        scores |= evaluation.scores
        shown = summary(scores, runs[0].config.decoding.threshold)
        say(as_json(scores) if self.json else shown, to=sys.stdout)
        if self.output is not None:
            write_text(self.output, "".join(line + "\n" for line in evaluation.translations))
