"""`fa-jax serve`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

import fa_jax
from fa_jax.cli.arguments import RUN_HELP
from fa_jax.serving.limits import Limits

RUNS_HELP = f"{RUN_HELP} Several stand side by side on the page."


@dataclass(frozen=True)
class Command:
    """Serve runs: a page to try them in a browser, and an interface like LibreTranslate's.

    Ctrl-C or SIGTERM stops the server, after it has answered the requests that it has taken.
    """

    runs: Annotated[Positional[tuple[Path, ...]], tyro.conf.arg(help=RUNS_HELP)] = ()
    host: str = "127.0.0.1"
    """Address to listen at. 0.0.0.0: everyone who reaches this machine may use the server."""
    port: int = 5000
    """Port to listen at. 0: any that is free."""
    suggestions: Path | None = None
    """File to which translations that users suggest are added, a JSON object a line. Default: none
    are taken."""
    limits: Limits = field(default_factory=Limits)

    def __call__(self):
        runs = [fa_jax.load_run(folder) for folder in self.runs]
        fa_jax.serve(**vars(self) | {"runs": runs})
