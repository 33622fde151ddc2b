"""Which implementation computes a step: by platform, length, score, span and threshold."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import jax
from jaxtyping import Array

from fa_jax.attention import dense, learnt_in_windows, unscored, windowed
from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.scores import SCORES
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step, Weighed


def _by_kernel(*of: Any) -> Weighed:
    from fa_jax.attention import kernel  # Pallas takes 60 ms to import

    return kernel.weigh(*of)


Implementation = Literal["dense", "windowed", "kernel"]
IMPLEMENTATIONS: dict[str, Callable[..., Weighed]] = {
    "dense": dense.weigh,
    "windowed": windowed.weigh,
    "kernel": _by_kernel,
}


WINDOWS_PAY_ON = "cpu"
"""Windows alone were measured to cost more on a GPU, and were not measured on a TPU."""
BANDWIDTH = 819e9
"""Bytes a second that a TPU v5e reads from its memory, by its data sheet."""
ROW_SECONDS = 2e-6
"""Of a row of the kernel: two blocks, for each of which 1 µs of waiting is assumed."""


def for_step(
    name: str | None, config: AttentionConfig, step: Step, reach: Reach, details: bool
) -> Callable[..., Weighed]:
    """The function that computes a step.

    name: as the user says; None: what was measured to pay, or for a TPU what was calculated to.

    Raises:
      ValueError: an unknown name, or no kernel (`why_no_kernel`).
    """
    if name is not None and name not in IMPLEMENTATIONS:
        allowed = ", ".join(map(repr, IMPLEMENTATIONS))
        raise ValueError(f"implementation must be None or one of {allowed}, got {name!r}")
    if name == "kernel" and (reason := why_no_kernel(config)):
        raise ValueError(reason)
    if config.span.scores_nothing:
        return unscored.weigh
    if step.state.taps:
        if name != "windowed" or config.span.needs_every_position(step.state.span):
            raise ValueError(
                "a state of learn_in_windows needs implementation='windowed', and a span that "
                f"trains without the positions outside its windows; got {name!r} and {config.span}"
            )
        return learnt_in_windows.weigh
    if config.span.needs_every_position(step.state.span):
        return dense.weigh
    if name is None:
        name = "dense"
        if _pays(config, step.threshold, step.memory.annotations.shape[1]):
            name = "windowed"
        elif jax.default_backend() == "tpu" and not details and _kernel_pays(config, step):
            name = "kernel"
    return IMPLEMENTATIONS[name]


def for_search(
    attentions: Sequence[AttentionConfig], threshold: float = math.inf, platform: str | None = None
) -> Implementation | None:
    """What a beam search hands to its steps; None, on a TPU: each chooses.

    Windowed wherever that pays for long sentences, at any threshold: windows may be whole
    sentences, padding costs nothing in them, and so one program does for all lengths.

    attentions: of an ensemble's members. threshold: infinite where it is not known yet. platform:
    where it runs; None: here.
    """
    platform = platform or jax.default_backend()
    if platform == WINDOWS_PAY_ON and all(c.score.windowed_from < math.inf for c in attentions):
        return "windowed"
    # A step sees the threshold as an array, and takes an array for a finite one.
    chooses = platform == "tpu" and all(config.span.narrows(threshold) for config in attentions)
    return None if chooses else "dense"


def why_no_kernel(config: AttentionConfig) -> str:
    """Why the kernel cannot be had, here and with this attention; empty where it can."""
    platform = jax.default_backend()
    if platform not in ("cpu", "tpu"):
        return f"the kernel is written for TPUs, and this is a {platform}: take 'windowed'"
    if config.score.in_kernel is None:
        known = ", ".join(name for name, kind in SCORES.items() if kind.in_kernel is not None)
        return f"no kernel evaluates {config.score}: take one of the scores {known}, or 'windowed'"
    return ""


def _kernel_pays(config: AttentionConfig, step: Step) -> bool:
    """Whether a TPU reads a sentence's keys and annotations more slowly than the kernel its rows.

    Calculated: no TPU has measured it.
    """
    if why_no_kernel(config) or not config.span.narrows(step.threshold):
        return False
    read = jax.tree.leaves((step.memory.keys, step.memory.annotations))
    sentence = sum(leaf.nbytes for leaf in read) / len(step.memory.lengths)
    return sentence / BANDWIDTH > step.query.shape[1] * ROW_SECONDS


def _pays(config: AttentionConfig, threshold: float | Array, length: int) -> bool:
    long = length >= config.score.windowed_from
    return jax.default_backend() == WINDOWS_PAY_ON and long and config.span.narrows(threshold)
