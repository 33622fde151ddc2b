"""Arguments become a command: options and positional arguments in any order."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from inspect import cleandoc
from types import ModuleType
from typing import Any

import tyro

from fa_jax.cli.attention_options import REGISTRY, AttentionOptions
from fa_jax.config_file import SECTIONS

SHORT = {
    "--threshold": "--decoding.threshold",
    "--beam-size": "--decoding.beam-size",
    "--steps": "--training.steps",
}
"""Options used so often that they have a short name."""
# Attention's options are in AttentionOptions: the model's own is no choice of subcommands.
TYRO = {"config": (tyro.conf.AvoidSubcommands,), "registry": REGISTRY}


def parse_command(name: str, module: ModuleType, arguments: Sequence[str]) -> Any:
    """The module's `Command`.

    It is parsed twice: what the first time finds (languages, preset, a run's folder) says which
    settings the options change, the preset's or the run's own.

    Raises:
      UserError: no such preset or run, or a value that cannot be.
      SystemExit: arguments that are no options, after a message; `--help`.
    """
    parsed = partial(
        tyro.cli,
        module.Command,
        prog=f"fa-jax {name}",
        description=cleandoc(module.Command.__doc__),
        args=[_long_name(argument) for argument in arguments],
        **TYRO,
    )
    command = parsed()
    if not hasattr(module, "settings"):
        return command
    config = module.settings(command)
    sections = {name: getattr(config, name) for name in SECTIONS if hasattr(command, name)}
    if hasattr(command, "attention"):
        sections["attention"] = AttentionOptions(
            config.model.attention, config.decoding.max_source_length
        )
    return parsed(default=replace(command, **sections))


def parse_nothing(arguments: Sequence[str], modules: dict[str, ModuleType]):
    """Help, or what is wrong with a command that there is not. Always raises SystemExit."""
    tyro.extras.subcommand_cli_from_dict(
        {name: module.Command for name, module in modules.items()},
        prog="fa-jax",
        description="Trains translators with flexible attention, translates, measures and draws.\n"
        + "; ".join(f"{short} is short for {long}" for short, long in SHORT.items()),
        args=arguments,
        **TYRO,
    )


def _long_name(argument: str) -> str:
    name, *value = argument.split("=", 1)
    return "=".join([SHORT.get(name, name), *value])
