"""A run that was stopped, however rudely, ends where an unbroken one does."""

import json
import re
import signal
import subprocess
import time

import jax
import numpy as np
import pytest

from fa_jax.runs.run import load_run
from fa_jax.training.metrics import read_metrics
from tests.command import TINY, command, environment, run, write_corpus

STEPS = 40
OFTEN = ("--training.checkpoint-seconds", "0.2")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def train_options(corpus, folder, steps=STEPS):
    options = ("--corpus", corpus, "--run", folder, "--steps", steps)
    return ("train", "en-ja", *options, *TINY, "--model.dropout", "0.1", *OFTEN)


@pytest.fixture(scope="module")
def unbroken(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "unbroken"
    finished = run(*train_options(corpus, folder))
    assert finished.returncode == 0, finished.stderr
    return folder


def assert_same_parameters(folder, other, exactly=True):
    compare = np.testing.assert_array_equal if exactly else close
    jax.tree.map(compare, load_run(folder).params, load_run(other).params)


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-5)


def interrupt(corpus, folder, number, seconds):
    """Starts the run and sends it a signal so long after its first whole checkpoint."""
    process = subprocess.Popen(
        command(*train_options(corpus, folder)),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder.parent,
    )
    latest = folder / "checkpoints" / "latest"
    while process.poll() is None and not (latest.exists() and any(map(_whole, latest.iterdir()))):
        time.sleep(0.02)
    time.sleep(seconds)
    process.send_signal(number)
    _, stderr = process.communicate()
    return process.returncode, stderr


def _whole(path):
    return path.name.isdigit()


def test_killed_at_any_moment_it_ends_with_the_same_bits(corpus, unbroken, tmp_path):
    folder = tmp_path / "killed"
    for seconds in (0.0, 0.35):
        interrupt(corpus, folder, signal.SIGKILL, seconds)
    finished = run(*train_options(corpus, folder))
    assert finished.returncode == 0, finished.stderr
    assert_same_parameters(folder, unbroken)
    steps = [row["step"] for row in read_metrics(folder) if "loss" in row]
    assert steps == sorted(set(steps))
    assert steps[-1] == STEPS


def test_asked_to_stop_it_saves_and_leaves(corpus, unbroken, tmp_path):
    folder = tmp_path / "asked"
    status, stderr = interrupt(corpus, folder, signal.SIGTERM, 0.1)
    if status != 0:  # it may have been at its end already
        assert status == 128 + signal.SIGTERM
        assert "stopping: this step" in stderr and "stopped and saved at step" in stderr
    finished = run(*train_options(corpus, folder))
    assert finished.returncode == 0, finished.stderr
    assert_same_parameters(folder, unbroken)


def test_eight_devices_learn_what_one_does(corpus, unbroken, tmp_path):
    finished = run(*train_options(corpus, tmp_path / "eight"), devices=8)
    assert finished.returncode == 0, finished.stderr
    assert_same_parameters(tmp_path / "eight", unbroken, exactly=False)


def test_two_processes_learn_what_one_does(corpus, unbroken, tmp_path):
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    hosts = [
        subprocess.Popen(
            command(
                *train_options(corpus, tmp_path / "two"),
                *("--coordinator", address, "--processes", 2, "--process", number),
            ),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    for host in hosts:
        _, stderr = host.communicate(timeout=300)
        assert host.returncode == 0, stderr
    assert_same_parameters(tmp_path / "two", unbroken, exactly=False)


def test_a_run_of_other_settings_is_left_alone(corpus, unbroken):
    before = (unbroken / "config.json").read_bytes()
    finished = run(*train_options(corpus, unbroken), "--flexible.sigma", "3")
    assert finished.returncode == 2
    assert re.search(r"sigma.* is 1.5 there, 3.0 here", finished.stderr)
    assert (unbroken / "config.json").read_bytes() == before


def test_the_test_set_was_scored(unbroken):
    found = json.loads((unbroken / "test.json").read_text())
    assert found["inf"]["sentences"] == 6
    assert found["1.2"]["window"] <= found["inf"]["window"]
