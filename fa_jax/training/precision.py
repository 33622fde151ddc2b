"""How precise the products of training are: as coarse as the device multiplies fastest."""

from pathlib import Path

import jax

from fa_jax.model.product import ROUNDED

CPU = Path("/proc/cpuinfo")


def training_precision(platform: str) -> str | None:
    """JAX's default precision for training on such devices. None: what the device does by itself.

    What the user set counts, as `JAX_DEFAULT_MATMUL_PRECISION=highest` does. Otherwise a CPU that
    has instructions for products of bfloat16 uses them (x86 on Linux; others were not measured).
    """
    asked = jax.config.jax_default_matmul_precision
    can = platform == "cpu" and CPU.exists() and "avx512_bf16" in CPU.read_text()
    return ROUNDED if asked is None and can else asked
