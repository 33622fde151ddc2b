"""`fa-jax finetune`."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import fa_jax
from fa_jax.cli.arguments import ATTENTION, Attention, RunFolder
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DecodingConfig, TrainingConfig
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import table
from fa_jax.presets import WINDOW, finetuning, learning_documents
from fa_jax.runs.folder import read_config
from fa_jax.runs.run import Run

FACTORS = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
"""Of the threshold that meets --window: what --loss chooses among."""


@dataclass(frozen=True)
class Command:
    """Train on from a run's best checkpoint, in a new run whose windows are as narrow as ordered.

    Order a share of the source (--window), or what the windows may cost (--loss), or train as the
    paper does (--beta), or on documents (--documents). Of the attention, the span's settings may
    change. With another --flexible.sigma, strengths far below 1 go on penalising as they did.
    """

    source: RunFolder
    run: Path | None = None
    """The new run's folder; default: the old one's name with -finetuned."""
    window: float | None = None
    """Share of the source's positions that the new run is to score, on average; default: 0.4. 0: no
    order, it is only trained for longer."""
    loss: float | None = None
    """BLEU on the validation set that windows may cost, beside scoring all positions: the new run's
    windows are then the narrowest that cost no more."""
    beta: float = 0.0
    """Reward for strong penalties instead (Eq. 9), for one epoch; the paper took 0.1."""
    documents: int = 0
    """Learn to translate documents instead: from passages of up to so many tokens, such as 120. In
    the corpus an empty line ends a document."""
    attention: Attention = ATTENTION
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)

    def settings(self) -> Config:
        if self.beta and (self.window is not None or self.loss is not None):
            raise UserError(
                "--beta is the paper's way, without an order: leave --window, --loss out"
            )
        window = WINDOW if self.window is None else self.window
        if self.documents:
            return self._of_documents(window)
        return finetuning(read_config(self.source), window, self.beta)

    def _of_documents(self, window: float) -> Config:
        if self.documents < 1 or self.beta:
            raise UserError(
                "--documents takes a number of tokens, at least 1, and goes without --beta; got "
                f"{self.documents}"
            )
        return learning_documents(read_config(self.source), self.documents, window)

    def __call__(self):
        if self.loss is not None and not (self.loss >= 0 and self.training.window):
            raise UserError(
                f"--loss needs a flexible span, a --window, and at least 0; got {self.loss}"
            )
        source = fa_jax.load_run(self.source)
        model = replace(source.config.model, attention=self.attention.attention())
        changes = {"model": model, "training": self.training, "decoding": self.decoding}
        config = replace(self.settings(), **changes)
        train_and_score(lambda: self._narrowed(fa_jax.finetune(source, self.run, config)))

    def _narrowed(self, run: Run) -> Run:
        """With the narrowest windows that cost no more than was said, if it was."""
        if self.loss is None:
            return run
        thresholds = [factor * run.config.decoding.threshold for factor in FACTORS]
        found = fa_jax.select(run, thresholds, self.loss)
        print(table(found.candidates, found.chosen, found.reference))
        fa_jax.set_threshold(run.folder, found.chosen.threshold)
        return fa_jax.load_run(run.folder)
