"""What does fa_jax do on this machine's accelerator? One page, in ten minutes.

Each part runs in a process of its own: one that crashes or hangs is a line of the page. The page is
written anew after every part.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Literal

import tyro

from experiments.accelerator.conditions import Conditions
from experiments.accelerator.outcome import NOT_YET, Outcome, outcome
from experiments.accelerator.page import Found
from experiments.accelerator.parts import PARTS
from experiments.measuring.folders import RESULTS
from fa_jax.errors import UserError

TO_ANSWER = 120
"""Seconds that a device has to answer at all."""
TO_WRITE = 5


def check(
    minutes: float = 10.0,
    smallest: bool = False,
    output: Path = RESULTS / "accelerators",
    parts: Sequence[Literal[tuple(PARTS)]] = tuple(PARTS),
):
    """Measures every part, and writes DEVICE.json and DEVICE.md.

    Args:
      minutes: the most that it takes. What does not fit is left out.
      smallest: whether sizes only show that every part works.
      output: the folder for both files.
      parts: to measure.
    """
    ends = time.monotonic() + 60 * minutes - TO_WRITE
    try:
        begun = _begun(minutes, smallest, output, parts)
        for found in measured(begun, lambda: ends - time.monotonic()):
            found.write(output)
    except (UserError, OSError) as error:
        raise SystemExit(f"accelerator check: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    print(output / f"{begun.name}.md")


def measured(
    found: Found,
    seconds_left: Callable[[], float],
    run: Callable[[str, Conditions], Outcome] = outcome,
) -> Iterator[Found]:
    """What is known after each part.

    Args:
      found: what is known before the first one.
      seconds_left: of the whole check.
      run: runs a part, by name.
    """
    names, platform = [*found.outcomes], found.device["platform"]
    for place, name in enumerate(names):
        seconds = share_of_time(seconds_left(), [PARTS[n].share for n in names[place:]])
        _say(f"{name}: begins, at most {max(0, seconds):.0f} s")
        ended = run(name, Conditions(platform, found.smallest, seconds))
        _say(f"{name}: {ended.ended}, {len(ended.rows)} rows, {ended.seconds:.0f} s")
        found = replace(found, outcomes={**found.outcomes, name: ended})
        yield found


def share_of_time(seconds: float, shares: Sequence[float]) -> float:
    """The first one's: what parts before it did not need is shared by all that follow."""
    return seconds * shares[0] / sum(shares)


def _begun(minutes: float, smallest: bool, output: Path, parts: Sequence[str]) -> Found:
    """Raises UserError where no device answers."""
    _say("asking for the device")
    answer = outcome("device", Conditions("unknown", smallest, TO_ANSWER))
    rows = [row for row in answer.rows if "fails" not in row]
    if not rows:
        why = [row["fails"] for row in answer.rows] or [answer.ended]
        raise UserError(
            f"no device answers ({why[0]}). `make setup ACCELERATOR=cuda13` (or cuda12, tpu) "
            "installs what JAX needs; no other program may hold the device"
        )
    output.mkdir(parents=True, exist_ok=True)
    outcomes = dict.fromkeys(parts, Outcome(NOT_YET))
    device = {name: value for name, value in rows[0].items() if name != "case"}
    found = Found(device, date.today().isoformat(), _commit(), minutes, smallest, outcomes)
    _say(f"{device['count']} × {device['kind']}: writing {output / found.name}.md")
    return found


def _commit() -> str:
    """Of the code that is here; nothing outside of a repository."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _say(words: str):
    print(f"accelerator check: {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *of: sys.exit(128 + signal.SIGTERM))  # parts end, too
    tyro.cli(check)
