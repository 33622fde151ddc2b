"""A training that was killed, or found no room on its disk, whenever: continued, the same bits."""

import json
import signal
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tests.tiny import STEPS
from tests.torture import arithmetic
from tests.torture.effort import tried
from tests.torture.interrupted import Interrupted, command
from tests.training.test_loop import checksum_of
from tests.training.test_resume import train_options

LONGEST = 20_000
"""Bytes of a checkpoint's longest file, about."""
HOW = ("after", "killed", "full", "long")
WORDS = {"full": "No space left", "long": "File too large"}
STOPS = 8
"""Of one training, at most; then it is let go on to its end."""
PATIENCE = 20
"""Times as long as unbroken work: what takes longer waits for something that does not come."""


def stops_of(random):
    """How, and at which share of a training. One that goes on has less to do than a whole one."""
    return [(random.choice(HOW), random.random() / 2) for _ in range(STOPS)]


stops = st.integers(0, 2**64 - 1).map(Random).map(stops_of)  # evenly, which Hypothesis avoids


def interrupted(stops, unbroken, folder, *work):
    """Work that is stopped until it comes to its end: in words, where it could say some."""
    patience, stopped = PATIENCE * unbroken.seconds, Counter()
    for how, share in stops:
        moment = {
            "after": share * unbroken.seconds,
            "killed": 1 + int(share * unbroken.changes),
            "full": 1 + int(share * unbroken.changes),
            "long": 1 + int(share * LONGEST),
        }
        found = Interrupted(folder, *work, **{"after": patience, how: moment[how]})
        if found.status == 0:
            break
        stopped[how] += 1
        assert found.status == (2 if how in WORDS else -signal.SIGKILL), found.said
        assert "Traceback" not in found.said
        assert found.status < 0 or WORDS[how] in found.said
    else:
        ended(folder, *work, after=patience)
    for how, times in stopped.items():
        event(f"{how}: {times}")  # `make torture` shows them
    assert not [*folder.rglob("*.new")]


def ended(folder, *work, **how):
    finished = Interrupted(folder, *work, **how)
    assert finished.status == 0, finished.said
    return finished


@pytest.fixture(scope="module")
def unbroken(corpus, tmp_path_factory):
    """The second: what is made of the text once is kept."""
    folders = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
    trained = [ended(folder, arithmetic.train, corpus, folder / "run") for folder in folders]
    first, second = (arithmetic.results(folder / "run") for folder in folders)
    assert first == second
    return trained[-1], first


@tried(1, shrinks=False)
@given(stops)
def test_a_training_of_arithmetic(corpus, unbroken, stops):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        interrupted(stops, unbroken[0], folder, arithmetic.train, corpus, folder / "run")
        assert arithmetic.results(folder / "run") == unbroken[1]


@pytest.fixture(scope="module")
def unbroken_command(corpus, trained, tmp_path_factory):
    """The second: its programs are kept. To compile them may take long."""
    for name in ("first", "second"):
        folder = tmp_path_factory.mktemp(name)
        found = ended(folder, command, *train_options(corpus, folder / "run"))
        assert_same_bits(folder / "run", trained)
    return found


def assert_same_bits(run, other):
    assert checksum_of(run, STEPS) == checksum_of(other, STEPS)
    assert scores(run) == scores(other)


def scores(run):
    """By threshold, without the time that they took."""
    found = json.loads((run / "test.json").read_text(encoding="utf-8"))
    return [{name: x for name, x in of.items() if name != "seconds"} for of in found.values()]


@tried(1, shrinks=False)
@given(stops)
def test_a_whole_command(corpus, trained, unbroken_command, stops):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = train_options(corpus, folder / "run")
        interrupted(stops, unbroken_command, folder, command, *options)
        assert_same_bits(folder / "run", trained)
