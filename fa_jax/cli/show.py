"""`fa-jax show`."""

from dataclasses import dataclass
from pathlib import Path

from tyro.conf import Positional

import fa_jax
from fa_jax.cli.arguments import OfRun, check_folder_of
from fa_jax.errors import UserError


@dataclass(frozen=True)
class Command(OfRun):
    """Draw what each written word looked at: window, weights, focus and strength of each step."""

    sentence: Positional[str] = ""
    """The sentence to translate."""
    output: Path = Path("spans.html")
    """File to write: a picture (.png, .svg), or a page that shows details where you point
    (.html)."""

    split: bool = True
    """Translate each sentence by itself, where there are several."""

    def __call__(self):
        check_folder_of(self.output)
        if not self.sentence.strip():
            raise UserError(
                f'name a sentence to translate, such as: fa-jax show {self.run} "I like cats."'
            )
        run, options = fa_jax.load_run(self.run), {"decoding": self.decoding, "split": self.split}
        found = fa_jax.show(run, self.sentence, self.output, **options)
        print(f"{found.translation}\n{self.output}")
