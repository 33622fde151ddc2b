"""The command line: `fa-jax COMMAND …`, or `python -m fa_jax COMMAND …`."""

import sys
from importlib import import_module

import fa_jax
from fa_jax.cli.parsing import parse_command, parse_nothing
from fa_jax.errors import UserError

COMMANDS = ("data", "train", "finetune", "translate", "evaluate", "select", "show", "benchmark")
"""A module each. `Command`: what it takes. `settings`: the config that its options change; not
every command has one. `run`: what it does."""


def main(arguments: list[str] | None = None):
    """Runs a command; a user's mistake ends with its message and status 2."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    if name not in COMMANDS:
        parse_nothing([name, *rest] if name else [], {name: _module(name) for name in COMMANDS})
    try:
        command = parse_command(name, _module(name), rest)
        fa_jax.set_up_process()
        _module(name).run(command)
    except BrokenPipeError:  # the reader of our output has left
        sys.stderr.close()
        raise SystemExit(141) from None
    except (UserError, OSError) as error:  # OSError: a full disk, a folder that may not be written
        print(f"fa-jax: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _module(name: str):
    return import_module(f"fa_jax.cli.{name}")
