"""Commands: one that was killed ends where an unbroken one does."""

import json
import signal
import subprocess
import sys
import time

import fa_jax
from fa_jax.training.loop import Interrupted
from fa_jax.training.metrics import read_metrics
from tests.command import REPOSITORY, TINY, environment
from tests.tiny import STEPS
from tests.training.test_loop import checksum_of

TRAINING_ALONE = """
from fa_jax.cli import main, train
train.train_and_score = lambda train: train()
main()
"""
"""The command up to the test set, which is scored when the unbroken run is made."""


def training(*arguments):
    return [sys.executable, "-W", "error::UserWarning:fa_jax", "-c", TRAINING_ALONE, *arguments]


def train_options(corpus, folder):
    """The unbroken run's; how often it saves does not change its course."""
    options = ("--corpus", str(corpus), "--run", str(folder), "--steps", str(STEPS), *TINY)
    return ("train", "en-ja", *options, "--training.checkpoint-seconds", "0.1")


def kill(corpus, folder):
    """Starts the run and kills it when it has a whole checkpoint."""
    process = subprocess.Popen(
        training(*train_options(corpus, folder)),
        env=environment(),
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not any(
        path.name.isdigit() for path in folder.glob("checkpoints/latest/*")
    ):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def test_killed_and_continued_it_ends_with_the_same_bits(corpus, trained, tmp_path):
    folder = tmp_path / "killed"
    kill(corpus, folder)
    finished = subprocess.run(
        training(*train_options(corpus, folder)),
        env=environment(),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    assert "resuming" in finished.stderr
    assert checksum_of(folder, STEPS) == checksum_of(trained, STEPS)
    steps = [row["step"] for row in read_metrics(folder) if "loss" in row]
    assert steps == sorted({*steps}) and steps[-1] == STEPS


def test_asked_to_stop_it_says_where_it_goes_on(corpus, tmp_path, cli_call, monkeypatch):
    def train(*_):
        raise Interrupted(signal.SIGTERM, 7)

    monkeypatch.setattr(fa_jax, "train", train)
    status, _, error = cli_call(*train_options(corpus, tmp_path / "asked"))
    assert status == 128 + signal.SIGTERM
    assert "stopped and saved at step 7" in error


def test_the_test_set_was_scored(trained):
    found = json.loads((trained / "test.json").read_text())
    assert found["inf"]["sentences"] == 6
    assert found["1.2"]["window"] <= found["inf"]["window"]
