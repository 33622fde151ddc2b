"""`fa-jax finetune`."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import tyro

import fa_jax
from fa_jax.attention import AttentionConfig
from fa_jax.cli.arguments import Deterministic, RunFolder
from fa_jax.cli.hosts import AS_FOUND, Hosts
from fa_jax.cli.scores import train_and_score
from fa_jax.config import Config, DecodingConfig, TrainingConfig
from fa_jax.errors import UserError
from fa_jax.finetuning_settings import finetuning, learning_documents
from fa_jax.runs.folder import read_config
from fa_jax.runs.train import check_order


@dataclass(frozen=True)
class Command:
    """Train a run further, in windows, or on documents. The result is a new run.

    A flexible span learns in windows (--training.beta, --training.threshold). Then say how wide
    windows may be (--window), or how much BLEU they may cost (--loss): the new run translates with
    the threshold that follows. The span's settings may change, the rest of the attention stays.
    With another --flexible.sigma the penalties stay as they were where strengths are far below 1.
    """

    source: RunFolder
    run: Path | None = None
    """Folder of the new run. Default: the old folder's name with -finetuned."""
    corpus: str = ""
    """Learn from other text than the run did: a folder, the name of a corpus, or several names
    joined by '+'. The vocabularies stay the run's."""
    window: float | None = None
    """Share of the source's positions that the new run scores on the validation set, such as
    0.4."""
    loss: float | None = None
    """BLEU that windows may cost on the validation set, against scoring all positions. The new run
    gets the narrowest windows that cost no more. Default: 0.5 for a flexible span, if there is no
    --window and no --threshold. A run of documents has the threshold that it learns with."""
    documents: int = 0
    """Learn to translate documents, from passages of up to this many tokens, such as 1000. A number
    near the length of the documents does best. An empty line of the corpus ends a document."""
    hosts: Hosts = AS_FOUND
    deterministic: Deterministic = False
    attention: Annotated[AttentionConfig, tyro.conf.arg(name="model")] = field(
        default_factory=AttentionConfig
    )
    """How the decoder reads the source: a score under a span."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)

    def settings(self) -> Config:
        config = read_config(self.source)
        check_order(config, self.window, self.loss)
        if self.corpus:
            config = replace(config, data=replace(config.data, corpus=self.corpus))
        if self.documents < 0:
            raise UserError(f"--documents must be at least 1 token; got {self.documents}")
        if self.documents:
            return learning_documents(config, self.documents)
        return finetuning(config)

    def __call__(self):
        source = fa_jax.load_run(self.source)
        model = replace(source.config.model, attention=self.attention)
        changes = {"model": model, "training": self.training, "decoding": self.decoding}
        config = replace(self.settings(), **changes)
        order = {"window": self.window, "largest_loss": self.loss}
        train_and_score(lambda: fa_jax.finetune(source, self.run, config, **order))
