"""What is kept: corpora, token ids and compiled programs between runs, memory within one."""

import ctypes
import hashlib
import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate, chain
from pathlib import Path

import jax
import platformdirs
from filelock import FileLock, Timeout

from fa_jax.whole_files import whole_folder

FORMAT = "6"
"""Changes when what is kept would be read or learnt differently."""
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX, M_ARENA_MAX = -1, -2, -4, -8  # malloc.h
LARGEST = 2**31 - 1
SHORT_WAIT = 2
"""Seconds that need no word."""
COMPILED_BYTES = 2 * 10**9
"""Of compiled programs, at most. JAX's own bound would need a lock in the folder for every reading,
and would not count the programs that fa_jax keeps beside JAX's."""


def cache_folder() -> Path:
    """`$FA_JAX_CACHE` if set, else the user's cache folder on this system."""
    return Path(os.environ.get("FA_JAX_CACHE") or platformdirs.user_cache_dir("fa_jax"))


def place_of(kind: str, of: object) -> Path:
    """The cache's folder of what is made `of` this, which its `repr` tells from all else."""
    return cache_folder() / kind / hashlib.sha256(repr((FORMAT, of)).encode()).hexdigest()[:16]


def kept(place: Path, write: Callable[[Path], None]) -> Path:
    """The place; where nothing is there, with what `write` makes. Others wait until it is whole."""
    with held(place):
        if not place.exists():
            with whole_folder(place) as made:
                write(made)
    return place


@contextmanager
def held(place: Path) -> Iterator[None]:
    """A place of the cache is this process's alone. Others wait, and say so."""
    place.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place.with_name(f".{place.name}.lock"))
    try:
        acquired = lock.acquire(timeout=SHORT_WAIT)
    except Timeout:
        print(f"waiting for another process, which prepares {place}", file=sys.stderr)
        acquired = lock.acquire()
    with acquired:
        yield


def set_up_process():
    """Compiled programs are kept between runs, freed memory within one.

    Of programs beyond 2 GB, those that were used longest ago are removed.

    Every command of `fa-jax` calls it first. A notebook may: what it compiles is there next time.
    Call it before anything starts threads. glibc keeps what the process's first pool of memory
    frees; threads that are there already may have pools of their own, which give it back.

    >>> fa_jax.set_up_process()
    """
    _keep_freed_memory()
    compiled = cache_folder() / "compiled"
    remove_oldest_programs(compiled, COMPILED_BYTES)
    jax.config.update("jax_compilation_cache_dir", str(compiled))
    if "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS" not in os.environ:
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


def remove_oldest_programs(folder: Path, most: int):
    """Of JAX's compiled programs and of `KeptProgram`'s, keeps so many bytes: those used last."""
    found = []
    with suppress(OSError):  # another process removes some
        programs = folder.glob("*-cache"), folder.glob("*.program")
        found = [(path, path.stat()) for path in chain(*programs)]
    found.sort(key=lambda one: max(one[1].st_atime, one[1].st_mtime), reverse=True)
    for (path, _), size in zip(found, accumulate(stat.st_size for _, stat in found), strict=True):
        if size > most:
            with suppress(OSError):  # another process was faster, or the folder is read-only
                path.unlink()


def _keep_freed_memory():
    """Tells glibc's allocator to reuse freed memory.

    XLA allocates a computation's buffers anew at every call. With glibc's defaults each large one
    is a fresh mapping whose pages fault on first touch: measured at a third of a training step.
    Only the first arena can be told to keep large ones, so threads are to have no other.
    """
    if platform.libc_ver()[0] == "glibc":
        settings = {M_MMAP_MAX: 0, M_TRIM_THRESHOLD: LARGEST, M_TOP_PAD: 2**28, M_ARENA_MAX: 1}
        for name, value in settings.items():
            ctypes.CDLL(None).mallopt(name, value)
