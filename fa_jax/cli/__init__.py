"""The command line: `fa-jax COMMAND …`, or `python -m fa_jax COMMAND …`."""

import io
import signal
import sys

import fa_jax
from fa_jax.cli.hosts import ending_together
from fa_jax.cli.parsing import COMMANDS, help_of_all, in_options, parse_command
from fa_jax.compiler import SAME_BITS, ask_in_all_programs
from fa_jax.errors import UserError
from fa_jax.signals import handled

SEARCHERS = ("translate", "evaluate", "select", "show")
"""Commands that Ctrl-C ends at once: Python itself would wait for the end of a search, which is one
call. They leave nothing half done."""


def main(arguments: list[str] | None = None):
    """Runs a command; a user's mistake ends with its message and status 2."""
    name, *rest = given = (sys.argv[1:] if arguments is None else arguments) or [""]
    if name not in COMMANDS:
        help_of_all(given if name else [])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as stdin and all files, whatever the locale
    try:
        with ending_together():
            _run(name, rest)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _run(name: str, arguments: list[str]):
    try:
        fa_jax.set_up_process()  # before parsing starts threads
        command = parse_command(name, arguments)
        if getattr(command, "deterministic", False):
            ask_in_all_programs(SAME_BITS)
        if hosts := getattr(command, "hosts", None):
            hosts.meet()
        with handled((signal.SIGINT,) if name in SEARCHERS else (), by=signal.SIG_DFL):
            command()
    except BrokenPipeError:  # the reader of our output has left
        sys.stderr.close()
        raise SystemExit(141) from None
    except (UserError, OSError) as error:  # OSError: a full disk, a folder that may not be written
        print(f"fa-jax: {in_options(str(error), name)}", file=sys.stderr)
        raise SystemExit(2) from None
