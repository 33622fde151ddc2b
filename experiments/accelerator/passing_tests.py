"""Which tests pass on the device? Its processes are pytest's own: none here holds the device."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from experiments.accelerator.conditions import Conditions
from experiments.accelerator.measured import without_folders
from fa_jax.errors import UserError

SMALLEST = "tests/training/test_cross_entropy.py"
PATHS = (
    SMALLEST,
    "tests/training/test_step.py",
    "tests/decoding/test_beam_search.py",
    "tests/model",
    "tests/attention",
)
"""The quick ones first: each may take all time that is left."""
PLATFORMS = {"gpu": "cuda"}
"""JAX's names for setting a platform, where they are not those for asking."""
TO_END = 15
"""Seconds that pytest has to write down what it found, when time is up."""
TO_A_TEST = 60


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """A row for each folder or file of tests."""
    ends = time.monotonic() + conditions.seconds - TO_END
    paths = (SMALLEST,) if conditions.smallest else PATHS
    return {path: partial(_row, path, conditions.platform, ends) for path in paths}


def _row(path: str, platform: str, ends: float) -> dict[str, Any]:
    """Raises UserError where no time is left, or pytest wrote nothing."""
    seconds = ends - time.monotonic()
    if seconds < TO_END:
        raise UserError("left out: no time")
    with tempfile.TemporaryDirectory(prefix="fa-jax-tests-") as folder:
        written = Path(folder) / "tests.xml"
        in_time, said = _run(_command(path, platform, written), platform, seconds)
        if not written.exists():
            last = said.strip().splitlines()[-1:] or ["it said nothing"]
            raise UserError(f"pytest wrote no results: {last[0]}")
        return counted(written.read_text(encoding="utf-8")) | {
            "all_were_run": "yes" if in_time else "no: no time was left"
        }


def _command(path: str, platform: str, written: Path) -> list[str]:
    # A worker that crashes or hangs is replaced, and its test is named.
    workers = min(4, (os.cpu_count() or 1) // 2) if platform == "gpu" else 1
    together = ["-n", str(max(1, workers)), "--dist", "worksteal"]
    hung = [f"faulthandler_timeout={TO_A_TEST}", "faulthandler_exit_on_timeout=true"]
    options = [*together, *(part for one in hung for part in ("-o", one)), "-W", "default"]
    return [sys.executable, "-m", "pytest", "-q", path, f"--junitxml={written}", *options]


def _run(command: list[str], platform: str, seconds: float) -> tuple[bool, str]:
    """Whether it ended in time, and what it said."""
    environment = os.environ | {"FA_JAX_TESTS_ON": PLATFORMS.get(platform, platform)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            return True, process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # it ends, and writes what it has found
            return False, process.communicate()[0]


def counted(xml: str) -> dict[str, Any]:
    """What pytest found, from its JUnit file.

    Returns:
      Counts, seconds, and the names of the tests that did not pass, with the first line of why.
    """
    tests = [*ElementTree.fromstring(xml).iter("testcase")]
    of_kind = {
        kind: [test for test in tests if test.find(kind) is not None]
        for kind in ("failure", "error", "skipped")
    }
    failed = of_kind["failure"] + of_kind["error"]
    skipped = len(of_kind["skipped"])
    return {
        "passed": len(tests) - len(failed) - skipped,
        "failed": len(failed),
        "skipped": skipped,
        "seconds": round(sum(float(test.get("time", 0)) for test in tests), 1),
        "not_passed": [_why(test) for test in failed],
    }


def _why(test: ElementTree.Element) -> str:
    failure = test.find("failure")
    found = failure if failure is not None else test.find("error")
    words = (found.get("message") or "").strip().splitlines()[:1] if found is not None else []
    return ": ".join([f"{test.get('classname')}.{test.get('name')}", *map(without_folders, words)])
