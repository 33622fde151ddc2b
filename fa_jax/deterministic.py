"""The same bits from the same training, on GPUs, too."""

from fa_jax.compiler import ask_in_all_programs

SAME_BITS = {"xla_gpu_deterministic_ops": True}
"""Without it GPUs add in any order, and choose among kernels by how long each took."""


def compute_the_same_bits():
    """Asks XLA for GPU programs that always give the same bits. Other devices give them anyway.

    It must be called before JAX computes anything.
    """
    ask_in_all_programs(SAME_BITS)
