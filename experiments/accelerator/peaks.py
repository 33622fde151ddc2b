"""What a chip can do at best, by its maker's data sheet. No sparsity is counted."""

from typing import NamedTuple


class Peak(NamedTuple):
    """10¹² operations a second. bfloat16: of its products; where a chip has none, of float16's.
    float32: of its products as XLA computes them when nothing is said. GPUs round to TF32 where
    they can, TPUs to bfloat16.
    """

    bfloat16: float
    float32: float


PEAKS = {
    "TPU v6 lite": Peak(918, 918),
    "TPU v6e": Peak(918, 918),
    "TPU v5 lite": Peak(197, 197),
    "TPU v5e": Peak(197, 197),
    "TPU v5p": Peak(459, 459),
    "TPU v5": Peak(459, 459),
    "TPU v4": Peak(275, 275),
    "H200": Peak(989, 495),
    "H100 PCIe": Peak(756, 378),
    "H100 NVL": Peak(835, 418),
    "H100": Peak(989, 495),
    "A100": Peak(312, 156),
    "L4": Peak(121, 60),
    "T4": Peak(65, 8.1),
    "V100": Peak(125, 15.7),
}
"""By a part of JAX's name of the device; the first that fits counts."""


def peak_of(kind: str) -> Peak | None:
    """Of a device, by JAX's name for it; None: it is in no table."""
    words = f" {kind.replace('-', ' ')} "
    return next((peak for name, peak in PEAKS.items() if f" {name} " in words), None)
