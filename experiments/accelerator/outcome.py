"""How a part of the check ended; a part is run in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiments.accelerator.conditions import Conditions
from experiments.accelerator.measured import without_folders

LEAST = 15
"""Seconds below which a part is not begun."""
NOT_YET = "not run yet"
NO_TIME = "left out: no time"
DONE = "done"


@dataclass(frozen=True)
class Outcome:
    """ended: in words. rows: those that were measured, each with its `case`."""

    ended: str
    seconds: float = 0.0
    rows: list[dict[str, Any]] = field(default_factory=list)


def outcome(part: str, conditions: Conditions) -> Outcome:
    """Runs a part. One that takes longer than it has is ended; the rows that it wrote are kept."""
    if conditions.seconds < LEAST:
        return Outcome(NO_TIME)
    command = [sys.executable, "-m", "experiments.accelerator.measured", "--part", part]
    settings = {"platform": conditions.platform, "seconds": conditions.seconds}
    command += [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    return ended(command + ["--smallest"] * conditions.smallest, conditions.seconds)


def ended(command: Sequence[str], seconds: float) -> Outcome:
    """Runs a command that writes rows to its --output, and ends it and its children in time."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fa-jax-check-") as name:
        written, said = Path(name) / "rows", Path(name) / "said"
        with said.open("wb") as file:
            process = subprocess.Popen(
                [*command, "--output", str(written)],
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
            try:
                how = _how(process.wait(timeout=seconds), said)
            except subprocess.TimeoutExpired:
                how = f"ended after {seconds:.0f} s: no time was left"
            finally:  # also after Ctrl-C: nothing is left that holds the device
                _end(process)
        return Outcome(how, round(time.monotonic() - began, 1), _rows(written))


def _how(status: int, said: Path) -> str:
    if not status:
        return DONE
    how = f"status {status}" if status > 0 else signal.Signals(-status).name
    lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"failed with {how}: {without_folders(lines[-1]) if lines else 'it said nothing'}"


def _end(process: subprocess.Popen):
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _rows(written: Path) -> list[dict[str, Any]]:
    """The whole lines: a process that was ended may leave half of one."""
    text = written.read_text(encoding="utf-8") if written.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
