"""A file is whole, or what was there before."""

import os
import platform
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from fa_jax.whole_files import whole_folder, write_bytes, write_text
from tests.command import REPOSITORY, environment


def test_it_is_written_and_replaced(tmp_path):
    path = tmp_path / "a.txt"
    for text in ("first\r\n", "勇気\n", ""):
        write_text(path, text)
        assert path.read_bytes() == text.encode()
    write_bytes(path, b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one_and_a_pipe_is_written_to(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_text() == "new"
    os.mkfifo(pipe := tmp_path / "pipe")
    with ThreadPoolExecutor(1) as threads:
        read = threads.submit(pipe.read_text)
        write_text(pipe, "new")
        assert read.result() == "new" and pipe.is_fifo()


def test_a_name_may_be_as_long_as_a_name_may_be(tmp_path):
    path = tmp_path / f"{'訳' * 83}.txt"
    write_text(path, "new")
    assert list(tmp_path.iterdir()) == [path]


def test_the_folder_that_it_lies_in_is_made(tmp_path):
    write_text(tmp_path / "some" / "where" / "file", "new")
    assert (tmp_path / "some" / "where" / "file").read_text() == "new"


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_whole_or_not_there(tmp_path):
    with whole_folder(tmp_path / "new") as beside:
        (beside / "a").write_text("a")
        assert not (tmp_path / "new").exists()
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "a"]
    with pytest.raises(OSError), whole_folder(tmp_path / "new") as beside:
        (beside / "b").write_text("b")
    with pytest.raises(KeyError), whole_folder(tmp_path / "other") as beside:
        raise KeyError
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "a"]


KILLED = """
import os, sys
from pathlib import Path

from fa_jax.whole_files import whole_folder, write_text

with whole_folder(Path(sys.argv[1], "folder")) as new:
    (new / "half").write_text("half")
    os.replace = lambda *_: os.kill(os.getpid(), 9)
    write_text(Path(sys.argv[1], "file"), "half")
"""


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path):
    write_text(tmp_path / "file", "old")
    command = [sys.executable, "-c", KILLED, tmp_path]
    killed = subprocess.Popen(command, env=environment(), cwd=REPOSITORY)
    assert killed.wait() == -signal.SIGKILL
    assert (tmp_path / "file").read_text() == "old" and len([*tmp_path.iterdir()]) == 3
    writers = f"{platform.node()}.{os.getppid()}", f"elsewhere.{killed.pid}"
    others = {tmp_path / f"file.{writer}.abc.new" for writer in writers}
    for other in others:
        other.mkdir()
    write_text(tmp_path / "file", "new")
    with whole_folder(tmp_path / "folder"):
        pass
    assert {*tmp_path.iterdir()} == {tmp_path / "file", tmp_path / "folder", *others}
    assert (tmp_path / "file").read_text() == "new" and not [*(tmp_path / "folder").iterdir()]
