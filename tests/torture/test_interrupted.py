"""A training that was killed, or found no room on its disk, whenever: continued, the same bits."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.command import REPOSITORY, command, environment, run
from tests.tiny import STEPS
from tests.torture.effort import tried
from tests.training.test_loop import checksum_of
from tests.training.test_resume import train_options

SECONDS = 15.0
"""That a whole command takes, about."""
CHANGES = 400
"""To files of the run, that a whole command makes, about."""


def assert_ends_as(trained, corpus, folder):
    finished = run(*train_options(corpus, folder), XLA_FLAGS="")
    assert finished.returncode == 0, finished.stderr
    assert checksum_of(folder, STEPS) == checksum_of(trained, STEPS)
    assert scores(folder) == scores(trained)


def scores(folder):
    """By threshold, without the time that they took."""
    found = json.loads((folder / "test.json").read_text(encoding="utf-8"))
    return [{name: x for name, x in of.items() if name != "seconds"} for of in found.values()]


@tried(1, shrinks=False)
@given(moments=st.lists(st.floats(0, SECONDS), min_size=3, max_size=3))
def test_killed_at_moments(corpus, trained, moments):
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        for seconds in moments:
            process = subprocess.Popen(
                command(*train_options(corpus, run)),
                env=environment(XLA_FLAGS=""),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
            assert process.wait() in (0, -signal.SIGKILL)
        assert_ends_as(trained, corpus, run)


@tried(1, shrinks=False)
@given(
    how=st.sampled_from(["killed", "full"]),
    numbers=st.lists(st.integers(1, CHANGES), min_size=3, max_size=3),
)
def test_at_changes_to_its_files(corpus, trained, how, numbers):
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        for number in numbers:
            finished = subprocess.run(
                [
                    *(sys.executable, "-m", "tests.torture.interrupted", how, str(number), folder),
                    *map(str, train_options(corpus, run)),
                ],
                env=environment(XLA_FLAGS=""),
                capture_output=True,
                text=True,
                cwd=REPOSITORY,
            )
            if how == "killed":
                assert finished.returncode in (0, -signal.SIGKILL), finished.stderr
            else:
                assert finished.returncode in (0, 2), finished.stderr
                assert "Traceback" not in finished.stderr
                assert not finished.returncode or "No space left" in finished.stderr
        assert_ends_as(trained, corpus, run)
