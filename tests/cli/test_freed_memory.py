"""Memory that a command frees is kept for its next step."""

import platform
import subprocess
import sys

import pytest

from tests.command import REPOSITORY, environment, write_corpus

PROGRAM = """
import ctypes, sys
from fa_jax import cli
from fa_jax.cli import train
train.Command.__call__ = lambda self: ctypes.CDLL(None).malloc_stats()
cli.main(["train", "en-ja", "--corpus", sys.argv[1]])
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only its allocator is told so")
def test_threads_share_the_memory_that_is_kept(tmp_path):
    """glibc would give back what other arenas than the first free, at any setting."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(write_corpus(tmp_path / "corpus"))],
        env=environment(),
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
    )
    assert not ended.returncode, ended.stderr
    assert ended.stderr.count("Arena ") == 1, ended.stderr
