"""Before anything imports jax: a CPU, 8 simulated devices, types checked, a cache of its own."""

import os
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ.setdefault("FA_JAX_CACHE", tempfile.mkdtemp(prefix="fa-jax-tests-"))

from jaxtyping import install_import_hook

import tests.type_checker  # noqa: F401 (the hook calls it by name)

install_import_hook("fa_jax", "tests.type_checker.check")
