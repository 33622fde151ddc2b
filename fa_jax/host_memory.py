"""Keeps the memory that XLA frees on a CPU, instead of handing it back to the kernel each step.

XLA allocates a computation's buffers anew at every call. With glibc's defaults each large one is a
fresh mapping whose pages fault on first touch: measured at a third of a training step.
"""

import ctypes
import platform

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX, M_ARENA_MAX = -1, -2, -4, -8  # malloc.h
LARGEST = 2**31 - 1


def keep_freed_memory() -> bool:
    """Tells the C library's allocator to reuse freed memory; True where it understood (glibc)."""
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    settings = {M_MMAP_MAX: 0, M_TRIM_THRESHOLD: LARGEST, M_TOP_PAD: 2**28, M_ARENA_MAX: 1}
    return all([mallopt(name, value) for name, value in settings.items()])
