"""From arguments to a command. They are parsed twice: the first time says what options change."""

import inspect
import re
import shutil
import textwrap
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import fields, is_dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import tyro

from fa_jax.attention import SCORES, SPANS
from fa_jax.cli.options import REGISTRY, UNCHECKED
from fa_jax.errors import UserError

COMMANDS = (
    "data", "train", "finetune", "translate", "evaluate", "select", "show", "report", "serve",
    "export",
)  # fmt: skip
"""A module each. Its `Command` has what it takes as fields, and does its work when called. Where it
has `settings`, they are the config that its options change."""
HELP = {"-h", "--help"}
WIDEST = 100
"""Letters of a line of a description, at most."""
# Attention's parts have options of their own: no choice of subcommands.
TYRO = {"config": (tyro.conf.AvoidSubcommands,)}


def help_of_all(arguments: Sequence[str]):
    """Ends with the help of all commands, or with what is wrong with the first argument."""
    tyro.extras.subcommand_cli_from_dict(
        {name: _command(name) for name in COMMANDS},
        prog="fa-jax",
        description="Train translators with flexible attention, translate, measure and draw.",
        args=[*arguments],
        registry=REGISTRY,
        **TYRO,
    )


def parse_command(name: str, arguments: Sequence[str]) -> Callable[[], None]:
    """One of `COMMANDS`, with options and positional arguments in any order.

    It is parsed twice: what the first time finds (languages, preset, a run's folder) says which
    settings the options change, the preset's or the run's own. Help shows them, too, if it can.

    Raises:
      UserError: no such preset or run, or a value that cannot be.
      SystemExit: arguments that are no options, after a message; `--help`.
    """
    kind, asked = _command(name), not HELP.isdisjoint(arguments)
    text, own = description(kind.__doc__), {}
    parsed = partial(tyro.cli, kind, prog=f"fa-jax {name}", description=text, **TYRO)
    with REGISTRY:
        with suppress(SystemExit, UserError) if asked else nullcontext():
            others = [argument for argument in arguments if argument not in HELP]
            command = parsed(args=others, registry=UNCHECKED, console_outputs=not asked)
            own = _own_settings(command)
        return parsed(args=[*arguments], **own)


def description(text: str) -> str:
    """A command's text in lines of the terminal's width. Behind the first one, a paragraph's lines
    are indented: tyro joins those that are not."""
    width = min(WIDEST, shutil.get_terminal_size().columns)
    filled = textwrap.TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False).fill
    return "\n\n".join(map(filled, inspect.cleandoc(text).split("\n\n")))


def in_options(text: str, name: str) -> str:
    """What a command says, with its options (`--data.max-length`) for the settings that they change
    (`data.max_length`). Of a run's config.json the settings are named."""
    if "config.json" in text:
        return text
    sections = {one.name: one.type for one in fields(_command(name))} | SCORES | SPANS
    settings = {
        f"{section}.{setting.name}"
        for section, kind in sections.items()
        if isinstance(kind, type) and is_dataclass(kind)
        for setting in fields(kind)
    } - {"model.attention"}

    def option(found: re.Match[str]) -> str:
        return "--" + found[0].replace("_", "-") if found[0] in settings else found[0]

    return re.sub(r"(?<![\w.-])\w+\.\w+(?!\.?\w)", option, text)


def _own_settings(command: Any) -> dict[str, Any]:
    """What a command's options have as defaults, if it has settings that they change."""
    if not hasattr(command, "settings"):
        return {}
    config = command.settings()
    own = vars(config) | {"attention": config.model.attention}
    changed = {name: value for name, value in own.items() if hasattr(command, name)}
    return {"default": replace(command, **changed)}


def _command(name: str) -> type:
    return import_module(f"fa_jax.cli.{name}").Command
