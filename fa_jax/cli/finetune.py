"""`fa-jax finetune`."""

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

import jax

import fa_jax
from fa_jax.cli.arguments import ATTENTION, Attention, Deterministic, RunFolder
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DecodingConfig, TrainingConfig
from fa_jax.deterministic import compute_the_same_bits
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import LARGEST_LOSS, table
from fa_jax.finetuning_settings import (
    THRESHOLD,
    WINDOW,
    finetuning,
    is_flexible,
    learning_documents,
)
from fa_jax.runs.evaluate import Selection
from fa_jax.runs.folder import read_config
from fa_jax.runs.order import order_for_loss
from fa_jax.runs.run import Run
from fa_jax.runs.train import check_flexible, check_order, decoding_with, say

FACTORS = tuple(2 ** (third / 3) for third in range(-4, 7))
"""Of a run's own threshold: what --loss chooses among."""


@dataclass(frozen=True)
class Command:
    """Train a run further, for narrower windows or for documents. The result is a new run.

    Say how much BLEU windows may cost (--loss), or which share of the source they should have
    (--window). Or train in the paper's way (--beta). With --documents the run learns from passages
    of documents. The span's settings may change, the rest of the attention stays. With another
    --flexible.sigma the penalties stay as they were where strengths are far below 1.
    """

    source: RunFolder
    run: Path | None = None
    """Folder of the new run. Default: the old folder's name with -finetuned."""
    corpus: str = ""
    """Learn from other text than the run did: a folder, the name of a corpus, or several names
    joined by '+'. The vocabularies stay the run's."""
    window: float | None = None
    """Share of the source's positions that the new run should score, on average, such as 0.4. 0:
    no order; the run is only trained for longer. Default: as --loss needs; of documents 0.4."""
    loss: float | None = None
    """BLEU that windows may cost on the validation set, against scoring all positions. The new run
    gets the narrowest windows that cost no more. Default: 0.5, if there is no --window, --beta or
    --documents."""
    beta: float = 0.0
    """Train as the paper does: one epoch with this reward for high strengths (Eq. 9). The paper
    took 0.1."""
    documents: int = 0
    """Learn to translate documents, from passages of up to this many tokens, such as 1000. A number
    near the length of the documents does best. An empty line of the corpus ends a document."""
    deterministic: Deterministic = False
    attention: Attention = ATTENTION
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)

    def settings(self) -> Config:
        if self.beta and (self.window is not None or self.loss is not None):
            raise UserError(
                "--beta is the paper's way and takes no order: leave --window and --loss out"
            )
        window = WINDOW if self.window is None else self.window
        if not 0 <= window <= 1:
            raise UserError(
                f"--window is a share of the source, such as 0.4 for 40%; got {window:g}"
            )
        config = read_config(self.source)
        if self.window:
            check_flexible(config)
        if self.beta and not is_flexible(config):
            raise UserError(
                "--beta rewards strengths, which a flexible span alone has, not "
                f"{config.model.attention}"
            )
        if self.corpus:
            config = replace(config, data=replace(config.data, corpus=self.corpus))
        if self.documents:
            return self._of_documents(config, window)
        return finetuning(config, window, self.beta)

    def _of_documents(self, config: Config, window: float) -> Config:
        if self.documents < 1 or self.beta:
            raise UserError(
                "--documents must be at least 1 token, and goes without --beta; got "
                f"{self.documents}"
            )
        return learning_documents(config, self.documents, window)

    def __call__(self):
        if self.deterministic:
            compute_the_same_bits()
        if self.loss is not None and not (self.loss >= 0 and self.training.window):
            raise UserError(
                "--loss must be at least 0, and needs a flexible span and a --window above 0; got "
                f"{self.loss}"
            )
        source = fa_jax.load_run(self.source)
        model = replace(source.config.model, attention=self.attention.attention())
        settings = self.settings()
        changes = {"model": model, "training": self.training, "decoding": self.decoding}
        config, before = replace(settings, **changes), None
        check_order(config)
        ordered = self.window is not None or self.training.window != settings.training.window
        if self.training.window and not (ordered or self.documents):
            config, before = self._ordered(source, config)
        train_and_score(lambda: self._narrowed(fa_jax.finetune(source, self.run, config), before))

    @property
    def _largest_loss(self) -> float:
        return LARGEST_LOSS if self.loss is None else self.loss

    def _ordered(self, source: Run, config: Config) -> tuple[Config, Selection]:
        """With the order that suits the loss, and what the run before made of its own windows."""
        loss = self._largest_loss
        say(f"looking for windows that cost at most {loss:g} BLEU, on the validation set (minutes)")
        read = replace(source, config=replace(source.config, data=config.data))
        before = _selected(read, loss)
        window = order_for_loss(before)
        share = before.chosen.window / before.candidates[0].window
        say(
            f"windows of {share:.0%} of the source cost {before.reference - before.chosen.bleu:.2f}"
            f" BLEU now; they are learnt at {window:.0%} (--window orders another share)"
        )
        training = replace(config.training, window=window)
        return replace(config, training=training), before

    def _narrowed(self, run: Run, before: Selection | None) -> Run:
        """With the narrowest windows that cost no more than was said, if it was.

        before: of the run that it was trained from.
        """
        if self.loss is None and before is None:
            return run
        found = _selected(run, self._largest_loss)
        if jax.process_index() == 0:
            print(table(found.candidates, found.chosen, found.reference))
            if before:
                print(f"  the run before had {before.reference:.2f} BLEU, all positions scored")
        return decoding_with(run, threshold=found.chosen.threshold)


def _selected(run: Run, loss: float) -> Selection:
    """The narrowest windows of a run that cost no more."""
    threshold = run.config.decoding.threshold
    threshold = THRESHOLD if math.isinf(threshold) else threshold
    return fa_jax.select(run, [factor * threshold for factor in FACTORS], loss)
