"""`fa-jax export`."""

from dataclasses import dataclass
from pathlib import Path

import fa_jax
from fa_jax.cli.arguments import OfRun
from fa_jax.exports.export import SENTENCES


@dataclass(frozen=True)
class Command(OfRun):
    """Write a run so that it translates without fa_jax: weights, model card, programs of JAX.

    The folder's README.md names the packages that its translate.py needs.
    """

    output: Path | None = None
    """A new folder; default: exported/NAME."""
    lengths: tuple[int, ...] = ()
    """Tokens that sentences are padded to, a program each; default: 128, 512, … up to
    --decoding.max-source-length."""
    sentences: int = SENTENCES
    """Sentences that a program searches together."""
    licence: str = "other"
    """Of the model, by its SPDX identifier, such as cc-by-2.0; or other."""

    def __call__(self):
        run = fa_jax.load_run(self.run)
        folder = self.output or Path("exported", run.name)
        fa_jax.export(
            run,
            folder,
            self.decoding,
            lengths=self.lengths,
            sentences=self.sentences,
            licence=self.licence,
        )
        print(f"{folder}\ntranslate with: python {folder / 'translate.py'} < new.txt")
