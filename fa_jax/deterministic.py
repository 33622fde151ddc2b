"""The same bits from the same training, on GPUs, too."""

import os

FLAG = "--xla_gpu_deterministic_ops=true"
"""Without it GPUs add in any order, and choose among kernels by how long each took."""


def compute_the_same_bits():
    """Asks XLA for GPU programs that always give the same bits. Other devices give them anyway.

    It must be called before JAX computes anything: XLA reads its flags once.
    """
    flags = os.environ.get("XLA_FLAGS", "").split()
    os.environ["XLA_FLAGS"] = " ".join([flag for flag in flags if flag != FLAG] + [FLAG])
