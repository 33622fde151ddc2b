"""A tiny run on a small real corpus, trained once a session, and calls of the command line."""

import io
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from fa_jax import cli
from tests.command import TINY, run, write_corpus

LINES = ["I am here.", "", "It rains.", "   ", "Good night."]


@cache
def _corpus():
    return write_corpus(Path(tempfile.mkdtemp(prefix="fa-jax-tests-corpus-")))


@cache
def _trained():
    folder = Path(tempfile.mkdtemp(prefix="fa-jax-tests-runs-")) / "tiny"
    options = ("--corpus", _corpus(), "--steps", 20, *TINY)
    finished = run("train", *options, "en-ja", "--run", folder)
    assert finished.returncode == 0, finished.stderr
    assert "test sentences" in finished.stdout
    return folder


@pytest.fixture(scope="session")
def corpus():
    return _corpus()


@pytest.fixture(scope="session")
def trained():
    return _trained()


@pytest.fixture
def cli_call(capsys, monkeypatch):
    """The command in this process: status, stdout, stderr."""

    def call(*arguments, stdin=b""):
        class Stdin:
            buffer = io.BytesIO(stdin)

        monkeypatch.setattr(sys, "stdin", Stdin)
        monkeypatch.setattr("fa_jax.cache.set_up_process", lambda: None)
        status = 0
        try:
            cli.main([str(argument) for argument in arguments])
        except SystemExit as error:
            status = error.code
        out, err = capsys.readouterr()
        return status, out, err

    return call
