"""`fa-jax finetune`."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import fa_jax
from fa_jax.cli.arguments import ATTENTION, Attention, Deterministic, RunFolder
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DecodingConfig, TrainingConfig
from fa_jax.deterministic import compute_the_same_bits
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import LARGEST_LOSS
from fa_jax.finetuning_settings import WINDOW, finetuning, is_flexible, learning_documents
from fa_jax.runs.folder import read_config
from fa_jax.runs.train import check_flexible, check_order


@dataclass(frozen=True)
class Command:
    """Train a run further, and narrow its windows, or learn documents. The result is a new run.

    Say how much BLEU windows may cost (--loss). Or let the run learn in narrower windows: of a
    share of the source (--window), or in the paper's way (--beta). With --documents it learns from
    passages of documents. The span's settings may change, the rest of the attention stays. With
    another --flexible.sigma the penalties stay as they were where strengths are far below 1.
    """

    source: RunFolder
    run: Path | None = None
    """Folder of the new run. Default: the old folder's name with -finetuned."""
    corpus: str = ""
    """Learn from other text than the run did: a folder, the name of a corpus, or several names
    joined by '+'. The vocabularies stay the run's."""
    window: float | None = None
    """Share of the source's positions that the new run should score, on average, such as 0.4. It
    learns in such windows, which may cost much BLEU. 0: no order; the run is only trained for
    longer. Default: 0; of documents 0.4."""
    loss: float | None = None
    """BLEU that windows may cost on the validation set, against scoring all positions. The new run
    gets the narrowest windows that cost no more. Default: 0.5 for a flexible span, if there is no
    --window, --beta or --documents."""
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
        window = self.window
        if window is None:
            window = WINDOW if self.documents else 0.0
        if not 0 <= window <= 1:
            raise UserError(
                f"--window is a share of the source, such as 0.4 for 40%; got {window:g}"
            )
        config = read_config(self.source)
        if self.window or self.loss is not None:
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
        source = fa_jax.load_run(self.source)
        model = replace(source.config.model, attention=self.attention.attention())
        settings = self.settings()
        changes = {"model": model, "training": self.training, "decoding": self.decoding}
        config, loss = replace(settings, **changes), self.loss
        ordered = self.window is not None or self.beta or self.documents or self.training.window
        if loss is None and not ordered and is_flexible(config):
            loss = LARGEST_LOSS
        check_order(config, loss)
        train_and_score(lambda: fa_jax.finetune(source, self.run, config, loss))
