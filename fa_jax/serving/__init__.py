"""A web server: a page to try runs on, and LibreTranslate's protocol."""

import signal
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fa_jax.errors import UserError
from fa_jax.serving.limits import Limits
from fa_jax.signals import handled
from fa_jax.terminal import say

if TYPE_CHECKING:
    from fa_jax.runs.run import Run

NEEDS = ("starlette", "uvicorn", "babel", "python_multipart", "docx", "polib")


def serve(
    runs: "Run | Sequence[Run]",
    *,
    host: str = "127.0.0.1",
    port: int = 5000,
    limits: Limits | None = None,
    suggestions: str | Path | None = None,
):
    """Serves runs until it is stopped by Ctrl-C or SIGTERM.

    In a browser: a page to try them on. For programs: LibreTranslate's protocol. What it says no
    to, it says with a 4xx or 503 and `{"error": "..."}`; where a request is no HTTP, or too many
    are connected, in plain words.

    Args:
      runs: a translator, or several, of any languages.
      host: the address to listen at; 127.0.0.1: this machine alone, 0.0.0.0: all its networks.
      port: 0: one that is free.
      limits: what it takes on; default: `fa_jax.serving.limits.Limits()`.
      suggestions: a file to which translations that users suggest are added, a JSON object a line;
        default: none are taken.

    Raises:
      UserError: there is no run, the address cannot be listened at, or the packages of
        `fa-jax[serve]` are not installed.

    >>> fa_jax.serve([fa_jax.load_run("en-ja")])  # doctest: +SKIP
    """
    if missing := [name for name in NEEDS if find_spec(name) is None]:
        raise UserError(
            f"a server needs {' and '.join(missing)}, not installed here: "
            "pip install 'fa-jax[serve]'"
        )
    from fa_jax.runs.run import checked_runs
    from fa_jax.serving.app import make_app
    from fa_jax.serving.server import address, listening, make_server
    from fa_jax.serving.warm_up import warm_up

    if not runs:
        raise UserError("no run to serve: name one or several, such as en-ja")
    limits, runs = limits or Limits(), checked_runs(runs)
    if suggestions is not None:
        suggestions = Path(suggestions)
        suggestions.touch()
    with listening(host, port) as listener:
        for run in runs:
            say(f"preparing {run.name}; the first time takes a minute or two ...")
            warm_up(run)
        print(f"{address(listener)} (Ctrl-C stops it)", flush=True)
        # The server hands both on when it has stopped, and that is no failure.
        with handled((signal.SIGINT, signal.SIGTERM), by=lambda *_: None):
            make_server(make_app(runs, limits, suggestions), limits).run(sockets=[listener])
