"""`fa-jax import`."""

import sys
from dataclasses import dataclass
from pathlib import Path

from tyro.conf import Positional

import fa_jax


@dataclass(frozen=True)
class Command:
    """Read a recurrent model of JoeyNMT as a run, and say what does not agree.

    Beside its checkpoint lie JoeyNMT's config.yaml and vocabularies. PyTorch is not needed.
    """

    checkpoint: Positional[Path]
    """JoeyNMT's, such as model/best.ckpt."""
    output: Path | None = None
    """The new run's folder; default: runs/NAME of the checkpoint's folder."""

    def __call__(self):
        folder = self.output or Path("runs", self.checkpoint.absolute().parent.name)
        found = fa_jax.import_joeynmt(self.checkpoint, folder)
        for note in found.notes:
            print(f"note: {note}", file=sys.stderr)
        print(found.run.folder)
