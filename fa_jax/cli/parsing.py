"""From arguments to a command. They are parsed twice: the first time says what options change."""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import fields, replace
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from io import StringIO
from typing import Any

import tyro

from fa_jax.cli.attention_options import REGISTRY, AttentionOptions
from fa_jax.cli.help_texts import description
from fa_jax.config import Section
from fa_jax.config_file import SECTIONS
from fa_jax.errors import UserError

COMMANDS = (
    *("data", "train", "finetune", "translate", "evaluate", "select", "show", "report", "serve"),
    *("export",),
)
"""A module each. Its `Command` has what it takes as fields, and does its work when called. Where it
has `settings`, they are the config that its options change."""
SHORT = {
    "--threshold": "--decoding.threshold",
    "--beam-size": "--decoding.beam-size",
    "--steps": "--training.steps",
}
"""Options used so often that they have a short name."""
HELP = ("-h", "--help")
# Attention's options are in AttentionOptions: the model's own is no choice of subcommands.
TYRO = {"config": (tyro.conf.AvoidSubcommands,), "registry": REGISTRY}


def help_of_all(arguments: Sequence[str]):
    """Ends with the help of all commands, or with what is wrong with the first argument."""
    tyro.extras.subcommand_cli_from_dict(
        {name: _command(name) for name in COMMANDS},
        prog="fa-jax",
        description=description(
            "Train translators with flexible attention, translate, measure and draw.\n\n"
            "Options with two names: "
            + "; ".join(f"{short} is short for {long}" for short, long in SHORT.items())
        ),
        args=[*arguments],
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
    kind = _command(name)
    names = [argument.partition("=") for argument in arguments]
    given = [SHORT.get(option, option) + equals + value for option, equals, value in names]
    parsed = partial(
        tyro.cli, kind, prog=f"fa-jax {name}", description=description(kind.__doc__), **TYRO
    )
    if asked := [argument for argument in given if argument in HELP]:
        default, said = {}, StringIO()
        others = [argument for argument in given if argument not in asked]
        with suppress(SystemExit, UserError), redirect_stdout(said), redirect_stderr(said):
            default = _own_settings(parsed(args=others))
        return parsed(args=given, **default)
    try:
        command = parsed(args=given)
    except SystemExit:
        _suggest(option for option, _, _ in names)
        raise
    own = _own_settings(command)
    return parsed(args=given, **own) if own else command


def in_options(text: str, name: str) -> str:
    """What a command says, with its options (`--data.max-length`) for the settings that they change
    (`data.max_length`). Of a run's config.json the settings are named."""
    options = {
        f"{section.name}.{setting.name}": f"--{section.name}.{setting.name.replace('_', '-')}"
        for section in fields(_command(name))
        if isinstance(section.type, type) and issubclass(section.type, Section)
        for setting in fields(section.type)
        if setting.name != "attention"
    }
    if "config.json" in text:
        return text
    return re.sub(
        r"(?<![\w.-])\w+\.\w+(?!\.?\w)", lambda found: options.get(found[0], found[0]), text
    )


def _own_settings(command: Any) -> dict[str, Any]:
    """What a command's options have as defaults, if it has settings that they change."""
    if not hasattr(command, "settings"):
        return {}
    config = command.settings()
    sections = {name: getattr(config, name) for name in SECTIONS if hasattr(command, name)}
    if hasattr(command, "attention"):
        sections["attention"] = AttentionOptions(
            config.model.attention, config.decoding.max_source_length
        )
    return {"default": replace(command, **sections)}


def _suggest(options: Iterable[str]):
    """Says which short name may have been meant: tyro knows the long ones alone."""
    for option in options:
        meant = [] if option in SHORT else get_close_matches(option, SHORT, n=1, cutoff=0.8)
        if meant:
            print(f"fa-jax: {option} may be meant to be {meant[0]}", file=sys.stderr)


def _command(name: str) -> type:
    return import_module(f"fa_jax.cli.{name}").Command
