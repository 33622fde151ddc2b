"""What XLA's compiler is asked for."""

import os
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import jaxlib

QUICK_ON_CPUS = {"xla_cpu_use_fusion_emitters": False}
"""Without them a search compiles in 0.6 of the time, and takes 1.06 times as long."""
PRODUCTS_BY_CUBLAS = {"xla_gpu_enable_triton_gemm": False}
"""Or XLA writes products of its own, compiles variants of each, and times them. On an H200 a first
step of training was then not done after 110 s; by cuBLAS it took 20 s."""
SAME_BITS = {"xla_gpu_deterministic_ops": True}
"""Without it GPUs add in any order, and choose among kernels by how long each took. Other devices
give the same bits anyway."""


def compiler_options(platform: str, few: bool = False) -> dict[str, bool]:
    """XLA's options for a program.

    platform: JAX's name for it. few: it runs for a moment, so that it should compile quickly.
    """
    if platform in ("gpu", "cuda"):
        return PRODUCTS_BY_CUBLAS
    has_emitters = tuple(map(int, jaxlib.__version__.split(".")[:2])) < (0, 12)
    return QUICK_ON_CPUS if platform == "cpu" and few and has_emitters else {}


def ask_in_all_programs(options: Mapping[str, bool]):
    """Asks XLA for these options in all programs of this process and of its children.

    It must be called before JAX computes anything: XLA reads its flags once.
    """
    flags = [f"--{name}={str(value).lower()}" for name, value in options.items()]
    others = [flag for flag in os.environ.get("XLA_FLAGS", "").split() if flag not in flags]
    os.environ["XLA_FLAGS"] = " ".join(others + flags)


class CompiledForShapes:
    """A function of `pmap`, which takes no options, compiled with some: once for each of the shapes
    that its arguments have. One process has all devices."""

    def __init__(self, function: Any, options: Mapping[str, bool]):
        self.lower, self._options = function.lower, {**options}
        self._compiled: dict[tuple, jax.stages.Compiled] = {}

    def __call__(self, *arguments: Any) -> Any:
        shapes = tuple(map(jnp.shape, jax.tree.leaves(arguments)))
        if shapes not in self._compiled:
            lowered = self.lower(*arguments)
            self._compiled[shapes] = lowered.compile(compiler_options=self._options)
        return self._compiled[shapes](*arguments)
