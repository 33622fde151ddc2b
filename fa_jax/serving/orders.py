"""What the thread that translates can be asked to do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fa_jax.pages import span_content
from fa_jax.runs.run import Run
from fa_jax.runs.trace import traces
from fa_jax.runs.translate import translate


@dataclass(frozen=True)
class Translations:
    """Each line's translations, best first. threshold: τ. n_best: most of a line."""

    run: Run
    threshold: float
    n_best: int = 1

    def __call__(self, lines: Sequence[str]) -> list[list[str]]:
        decoding = replace(self.run.config.decoding, threshold=self.threshold)
        records = translate(self.run, lines, decoding, self.n_best)
        return [[found["text"] for found in record["translations"]] for record in records]


@dataclass(frozen=True)
class Traces:
    """What attention did while each line's best translation was written. threshold: τ."""

    run: Run
    threshold: float

    def __call__(self, lines: Sequence[str]) -> list[dict[str, Any]]:
        decoding = replace(self.run.config.decoding, threshold=self.threshold)
        return [span_content(trace) for trace in traces(self.run, lines, decoding)]
