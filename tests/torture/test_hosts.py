"""One of several hosts is killed, whenever: the others end in words, and the run goes on."""

import signal
import tempfile
import time
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from fa_jax.cli.hosts import AGAIN, LOST
from fa_jax.training.metrics import STEPS_BETWEEN_ROWS
from tests.cli.test_hosts import assert_learnt_the_same
from tests.torture.effort import tried
from tests.torture.interrupted import ForkedHosts
from tests.training.test_loop import checksum_of
from tests.training.test_resume import train_options

LONGEST_END = 60
"""Seconds from a host's death to the end of the others."""
NEVER = 1800
STEPS = 5 * STEPS_BETWEEN_ROWS
"""Hosts agree on when to save so often."""


def options(corpus, folder):
    return (*train_options(corpus, folder / "run"), "--steps", STEPS)


def begins(hosts):
    """When hosts have met, read the text, and begin to train."""
    while "compiling for" not in (said := hosts.files[0].read_text(encoding="utf-8")):
        assert hosts.processes[0].poll() is None, said
        time.sleep(0.02)
    return time.monotonic()


def goes_on(folder, corpus, hosts):
    with ForkedHosts(folder, hosts, *options(corpus, folder)) as together:
        statuses, said = together.ended(NEVER)
    assert statuses == [0] * hosts, said


@pytest.fixture(scope="module")
def unbroken(corpus, tmp_path_factory):
    """So many hosts' own folder, and the seconds that they learn for."""

    @cache
    def trained(hosts):
        folder = tmp_path_factory.mktemp(f"unbroken{hosts}")
        with ForkedHosts(folder, hosts, *options(corpus, folder)) as together:
            began = begins(together)
            statuses, said = together.ended(NEVER)
        assert statuses == [0] * hosts, said
        return folder / "run", time.monotonic() - began

    return trained


@tried(1, shrinks=False)
@given(st.integers(0, 2**64 - 1).map(Random))
def test_one_of_several_hosts_is_killed(corpus, unbroken, random):
    hosts = random.choice((2, 4))
    killed, share, going_on = random.randrange(hosts), random.random(), random.choice((1, hosts))
    whole, seconds = unbroken(hosts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ForkedHosts(folder, hosts, *options(corpus, folder)) as together:
            moment = begins(together) + share * seconds
            time.sleep(max(0.0, moment - time.monotonic()))
            together.processes[killed].kill()
            died = time.monotonic()
            statuses, said = together.ended(LONGEST_END)
        ended = time.monotonic() - died
        if statuses[killed] == -signal.SIGKILL:
            for status, words in zip(statuses, said, strict=True):
                assert status in (AGAIN, -signal.SIGKILL), said
                assert status != AGAIN or (LOST in words and "Traceback" not in words), said
        event(f"host {killed} of {hosts} at {share:.0%}, {ended:.0f} s, goes on as {going_on}")
        goes_on(folder, corpus, going_on)
        if going_on == hosts:
            assert checksum_of(folder / "run", STEPS) == checksum_of(whole, STEPS)
        assert_learnt_the_same(folder / "run", whole)
