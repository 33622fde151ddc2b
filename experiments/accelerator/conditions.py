"""Under what a part measures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Conditions:
    """platform: cpu, gpu or tpu. smallest: whether sizes only show that it works. seconds: that the
    part has."""

    platform: str
    smallest: bool
    seconds: float
