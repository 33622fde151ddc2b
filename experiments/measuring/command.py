"""Whole commands, as somebody waits for them: a new process each time."""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fa_jax.errors import UserError


@dataclass(frozen=True)
class Command:
    """arguments: what is run. input: the file it reads; output: the file for what it writes."""

    arguments: Sequence[str]
    input: Path
    output: Path

    def seconds(self) -> float:
        """Of one run of it.

        Raises:
          UserError: the command failed.
        """
        began = time.perf_counter()
        with self.input.open("rb") as read, self.output.open("wb") as write:
            ended = subprocess.run(self.arguments, stdin=read, stdout=write, stderr=subprocess.PIPE)
        if ended.returncode:
            raise UserError(f"{' '.join(self.arguments)}: {ended.stderr.decode(errors='replace')}")
        return time.perf_counter() - began

    @property
    def lines(self) -> list[str]:
        """What it wrote."""
        return self.output.read_text(encoding="utf-8").splitlines()


def translating(run: Path | str, *options: str, input: Path, output: Path) -> Command:
    """`fa-jax translate`, of lines as they are."""
    command = [sys.executable, "-m", "fa_jax", "translate", str(run), "--no-split", *options]
    return Command(command, input, output)


def alternated(commands: Mapping[str, Command], rounds: int) -> dict[str, list[float]]:
    """Seconds of each, all of them once a round."""
    found = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            found[name].append(command.seconds())
    return found
