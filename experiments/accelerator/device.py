"""Which device is there?"""

import platform
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import jax

from experiments.accelerator.conditions import Conditions


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """One row: the device, and the software that drives it."""
    return {"device": _device}


def _device() -> dict[str, Any]:
    device = jax.devices()[0]
    memory = (device.memory_stats() or {}).get("bytes_limit", 0) if device.platform != "cpu" else 0
    return {
        "kind": device.device_kind,
        "platform": jax.default_backend(),
        "count": jax.device_count(),
        "memory_gb": memory / 1e9,
        "jax": jax.__version__,
        "jaxlib": version("jaxlib"),
        "python": platform.python_version(),
        "fa_jax": version("fa-jax"),
    }
