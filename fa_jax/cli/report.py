"""`fa-jax report`."""

from dataclasses import dataclass
from pathlib import Path

import fa_jax
from fa_jax.cli.arguments import RunFolder


@dataclass(frozen=True)
class Command:
    """Write a run's report again: a page, report.html, with scores, samples, curves and settings.

    `train` and `finetune` leave one in the run's folder, with its pictures beside and in
    TensorBoard.
    """

    run: RunFolder
    output: Path | None = None
    """The folder to write into; default: the run's own."""

    def __call__(self):
        print(fa_jax.report(fa_jax.load_run(self.run), self.output))
