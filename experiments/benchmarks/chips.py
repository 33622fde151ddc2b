"""Accelerators that programs are compiled for on a machine that has none of them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import jax

from fa_jax.compiler import PRODUCTS_BY_CUBLAS
from fa_jax.errors import UserError

H100_DESCRIPTION = """
    gpu_device_info {
      cuda_compute_capability { major: 9 }
      core_count: 132
      fpus_per_core: 128
      clock_rate_ghz: 1.98
      memory_bandwidth: 3352320000000
      device_memory_size: 84978434048
      l2_cache_size: 52428800
      threads_per_warp: 32
      threads_per_block_limit: 1024
      threads_per_core_limit: 2048
      shared_memory_per_block: 49152
      shared_memory_per_block_optin: 232448
      shared_memory_per_core: 233472
      registers_per_core_limit: 65536
      registers_per_block_limit: 65536
      block_dim_limit_x: 2147483647
      block_dim_limit_y: 65535
      block_dim_limit_z: 65535
    }
    platform_name: "CUDA"
    dnn_version_info { major: 9 minor: 5 }
    runtime_version { major: 13 }
    device_description_str: "NVIDIA H100 80GB HBM3"
"""
"""XLA's GpuTargetConfigProto, by NVIDIA's data sheet."""


@dataclass(frozen=True)
class Chip:
    """An accelerator, and who compiles for it.

    platform: JAX's name for its kind. gigabytes: of its memory. topology: what
    `get_topology_desc` wants to know of it. options: of its compiler.
    """

    name: str
    platform: str
    gigabytes: float
    topology: Mapping[str, str]
    options: Mapping[str, bool] = field(default_factory=dict)

    def device(self) -> jax.Device:
        """One of it, to compile for.

        Raises:
          UserError: its compiler is not there.
        """
        from jax.experimental import topologies

        # Without it libtpu asks a metadata server that is not there.
        os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
        # A compiler alone takes no TPU: several processes may have it.
        os.environ.setdefault("ALLOW_MULTIPLE_LIBTPU_LOAD", "1")
        try:
            return topologies.get_topology_desc(platform=self.platform, **self.topology).devices[0]
        except RuntimeError as error:
            extra = {"tpu": "tpu", "cuda": "cuda13"}[self.platform]
            raise UserError(
                f"the compiler for {self.name} is missing: pip install 'jax[{extra}]', or "
                f"make setup ACCELERATOR={extra} ({str(error).splitlines()[0][:100]})"
            ) from error


CHIPS = {
    "v5e": Chip("v5e", "tpu", 16, {"topology_name": "v5e:2x2"}),
    "H100": Chip(
        "H100",
        "cuda",
        80,
        {"target_config": H100_DESCRIPTION, "topology": "1x1x1"},
        PRODUCTS_BY_CUBLAS,  # others are chosen by timing them on the chip
    ),
}
"""A TPU of a host with four, and NVIDIA's GPU."""
