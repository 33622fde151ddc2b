"""What is kept: corpora, token ids and compiled programs between runs, memory within one."""

import ctypes
import os
import platform
from pathlib import Path

import jax
import platformdirs
from filelock import BaseFileLock, FileLock

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX, M_ARENA_MAX = -1, -2, -4, -8  # malloc.h
LARGEST = 2**31 - 1


def cache_folder() -> Path:
    """`$FA_JAX_CACHE` if set, else the user's cache folder on this system."""
    chosen = os.environ.get("FA_JAX_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("fa_jax"))


def lock(folder: Path) -> BaseFileLock:
    """Held by whoever makes a folder of the cache; the others wait until it is there."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(folder.with_name(f".{folder.name}.lock"))


def set_up_process():
    """Compiled programs are kept between runs, freed memory within one.

    Every command of `fa-jax` calls it first. A notebook may: what it compiles is there next time.

    >>> fa_jax.set_up_process()
    """
    _keep_freed_memory()
    jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "compiled"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


def _keep_freed_memory():
    """Tells glibc's allocator to reuse freed memory.

    XLA allocates a computation's buffers anew at every call. With glibc's defaults each large one
    is a fresh mapping whose pages fault on first touch: measured at a third of a training step.
    """
    if platform.libc_ver()[0] == "glibc":
        settings = {M_MMAP_MAX: 0, M_TRIM_THRESHOLD: LARGEST, M_TOP_PAD: 2**28, M_ARENA_MAX: 1}
        for name, value in settings.items():
            ctypes.CDLL(None).mallopt(name, value)
