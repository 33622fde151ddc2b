"""A tiny run on a small real corpus, trained once a session, and calls of the command line."""

import io
import os
import sys

import pytest
from filelock import FileLock

from fa_jax import cli
from tests.command import TINY, run, write_corpus

STEPS = 20
LINES = ["I am here.", "", "It rains.", "   ", "Good night."]


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """Calls a function that makes a folder, once for all processes that run tests."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    def made(make, name, *arguments):
        with FileLock(folder / f".{name}.lock"):
            if not (folder / name).exists():
                make(folder / name, *arguments)
        return folder / name

    return made


@pytest.fixture(scope="session")
def corpus(shared):
    return shared(write_corpus, "corpus")


@pytest.fixture(scope="session")
def trained(shared, corpus):
    return shared(_train, "tiny", corpus)


def _train(folder, corpus):
    options = ("--corpus", corpus, "--steps", STEPS, *TINY)
    finished = run("train", *options, "en-ja", "--run", folder)
    assert finished.returncode == 0, finished.stderr
    assert "test sentences" in finished.stdout


@pytest.fixture
def cli_call(capsys, monkeypatch):
    """The command in this process: status, stdout, stderr. stdin: bytes, or a file."""

    def call(*arguments, stdin=b""):
        class Stdin:
            buffer = io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin

        monkeypatch.setattr(sys, "stdin", Stdin)
        monkeypatch.setattr("fa_jax.cache.set_up_process", lambda: None)
        monkeypatch.setattr("fa_jax.cli.hosts.Hosts.meet", lambda hosts: None)
        status = 0
        try:
            cli.main([str(argument) for argument in arguments])
        except SystemExit as error:
            status = error.code
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def unscored(monkeypatch):
    """Commands that train end with training: they score no test set and write no report."""
    for command in ("train", "finetune"):
        monkeypatch.setattr(f"fa_jax.cli.{command}.train_and_score", lambda train: train())
