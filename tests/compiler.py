"""XLA's flags here: a program of a test runs once, so it need not be fast, but fast to compile."""

from importlib.metadata import version


def quick(devices: int) -> str:
    """For so many simulated devices. Without fusion emitters it compiles three times as fast."""
    flags = {
        "xla_force_host_platform_device_count": devices,
        "xla_backend_optimization_level": 0,
        "xla_cpu_parallel_codegen_split_count": 1,  # these programs are small: parts cost more
    }
    if tuple(map(int, version("jaxlib").split(".")[:2])) < (0, 12):  # later ones know no such flag
        flags["xla_cpu_use_fusion_emitters"] = "false"
    return " ".join(f"--{name}={value}" for name, value in flags.items())
