"""What is kept between runs has a bound."""

import os

import pytest

from fa_jax import cache
from fa_jax.cache import remove_oldest_programs

NAMES = ("oldest-cache", "older.program", "read-again.program", "newest-cache")
_, SECOND, LAST, NEWEST = NAMES


@pytest.fixture
def folder(tmp_path):
    """Programs of ten bytes each, the third of which was read last; and a file of somebody's."""
    folder = tmp_path / "compiled"
    folder.mkdir()
    (folder / "notes.txt").write_bytes(bytes(100))
    for day, name in enumerate(NAMES):
        (folder / name).write_bytes(bytes(10))
        os.utime(folder / name, (day, day))
    os.utime(folder / LAST, (9, 0))
    return folder


def names(folder):
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("most", "kept"),
    [(40, {*NAMES}), (39, {SECOND, LAST, NEWEST}), (20, {LAST, NEWEST}), (9, set())],
)
def test_programs_that_were_used_last_are_kept(folder, most, kept):
    remove_oldest_programs(folder, most)
    assert names(folder) == {"notes.txt", *kept}


@pytest.mark.parametrize("users_seconds", [None, "2"])
def test_a_process_begins_with_it(folder, monkeypatch, users_seconds):
    """Which programs are kept is a user's choice, if JAX was told."""
    settings, name = {}, "jax_persistent_cache_min_compile_time_secs"
    monkeypatch.setattr(cache, "COMPILED_BYTES", 10)
    monkeypatch.setattr(cache, "_keep_freed_memory", lambda: None)
    monkeypatch.setattr("jax.config.update", settings.__setitem__)
    monkeypatch.setenv("FA_JAX_CACHE", str(folder.parent))
    monkeypatch.delenv(name.upper())
    if users_seconds:
        monkeypatch.setenv(name.upper(), users_seconds)
    cache.set_up_process()
    assert names(folder) == {"notes.txt", LAST}
    assert (name in settings) is not bool(users_seconds)


def test_there_may_be_none_yet(tmp_path):
    remove_oldest_programs(tmp_path / "compiled", 10)
