"""What a program that trains or translates sets up first: compiled programs and memory are kept."""

import ctypes
import platform

import jax

from fa_jax.cache import cache_folder

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX, M_ARENA_MAX = -1, -2, -4, -8  # malloc.h
LARGEST = 2**31 - 1


def set_up_process():
    """Compiled programs are kept between runs, freed memory within one.

    Every command of `fa-jax` calls it first. A notebook may: what it compiles is there next time.

    >>> fa_jax.set_up_process()
    """
    keep_freed_memory()
    jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "compiled"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


def keep_freed_memory() -> bool:
    """Tells the C library's allocator to reuse freed memory; True where it understood (glibc).

    XLA allocates a computation's buffers anew at every call. With glibc's defaults each large one
    is a fresh mapping whose pages fault on first touch: measured at a third of a training step.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    settings = {M_MMAP_MAX: 0, M_TRIM_THRESHOLD: LARGEST, M_TOP_PAD: 2**28, M_ARENA_MAX: 1}
    return all([mallopt(name, value) for name, value in settings.items()])
