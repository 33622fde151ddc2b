"""Before anything imports jax: a CPU, 8 simulated devices, types checked, a cache of its own."""

import os
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ.setdefault("FA_JAX_CACHE", tempfile.mkdtemp(prefix="fa-jax-tests-"))

from flax import struct
from jaxtyping import install_import_hook

import tests.type_checker  # noqa: F401 (the hook calls it by name)


def unchecked(make):
    """JAX rebuilds pytrees with placeholders in them: only functions' arguments are checked."""

    def dataclass(kind, **options):
        made = make(kind, **options)
        made.__no_type_check__ = True
        return made

    return dataclass


struct.dataclass = unchecked(struct.dataclass)
install_import_hook("fa_jax", "tests.type_checker.check")
