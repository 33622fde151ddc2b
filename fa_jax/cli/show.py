"""`fa-jax show`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro

import fa_jax
from fa_jax.cli.arguments import RunFolder, run_settings
from fa_jax.config import DecodingConfig


@dataclass(frozen=True)
class Command:
    """Draw what each output word looked at: window, weights, focus and strength of each step."""

    run: RunFolder
    sentence: Annotated[str, tyro.conf.Positional, tyro.conf.arg(help="Source text.")] = ""
    output: Path = Path("spans.html")
    """A picture (.png, .svg) or a page with details where one points (.html)."""
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


settings = run_settings


def run(command: Command):
    source = fa_jax.load_run(command.run)
    found = fa_jax.show(source, command.sentence, command.output, decoding=command.decoding)
    print(f"{found.translation}\n{command.output}")
