"""Where a kernel for GPUs can be had. Its compiler is Mosaic's, as Pallas has it."""

import jax

FIRST_JAX = 0, 10, 2
FIRST_GPU = 9
"""By NVIDIA's compute capability: an H100. On older ones the compiler may end the process."""


def lowers_gpu_kernels() -> bool:
    """Whether this jax has the interface that the kernel uses."""
    return jax.__version_info__ >= FIRST_JAX


def runs_gpu_kernels() -> bool:
    """Whether this machine has a GPU that the kernel is written for, and jax is new enough."""
    generation, _, _ = getattr(jax.devices()[0], "compute_capability", "").partition(".")
    return generation.isdecimal() and int(generation) >= FIRST_GPU and lowers_gpu_kernels()
