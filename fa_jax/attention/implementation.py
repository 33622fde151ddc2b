"""Which implementation computes a step: by platform, length, score, span and threshold."""

import math
from collections.abc import Callable, Sequence
from typing import Literal

import jax
import jax.numpy as jnp

from fa_jax.attention import dense, learnt_in_windows, windowed
from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.span import Reach
from fa_jax.attention.step import Step, Weighed

Implementation = Literal["dense", "windowed"]
IMPLEMENTATIONS: dict[str, Callable[..., Weighed]] = {
    "dense": dense.weigh,
    "windowed": windowed.weigh,
}

WINDOWS_PAY_ON = "cpu"
"""Windows alone were measured to cost more on a GPU, and were not measured on a TPU."""


def for_step(name: str | None, config: AttentionConfig, step: Step) -> Callable[..., Weighed]:
    """The function that computes a step.

    name: as the user says; None: what was measured to pay.

    Raises:
      ValueError: an unknown name.
    """
    if name is not None and name not in IMPLEMENTATIONS:
        allowed = ", ".join(map(repr, IMPLEMENTATIONS))
        raise ValueError(f"implementation must be None or one of {allowed}, got {name!r}")
    if config.span.scores_nothing:
        return _nothing
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
        long = step.memory.annotations.shape[1] >= config.score.windowed_from
        pays = jax.default_backend() == WINDOWS_PAY_ON and long
        name = "windowed" if pays and config.span.narrows(step.threshold) else "dense"
    return IMPLEMENTATIONS[name]


def _nothing(config: AttentionConfig, step: Step, reach: Reach, details: bool) -> Weighed:
    """A step that scores nothing: the focus stays, and positions keep what they remember."""
    focus, (_, length, size) = step.state.focus, step.memory.annotations.shape
    return Weighed(
        context=jnp.zeros((*focus.shape, size), step.memory.annotations.dtype),
        focus=focus,
        state=step.state.score,
        weights=jnp.zeros((*focus.shape, length), focus.dtype) if details else None,
        taps=step.state.taps,
    )


def for_search(
    attentions: Sequence[AttentionConfig], platform: str | None = None
) -> Implementation:
    """What a beam search hands to its steps.

    Windowed wherever that pays for long sentences, at any threshold: windows may be whole
    sentences, padding costs nothing in them, and so one program does for all lengths.

    attentions: of an ensemble's members. platform: where it runs; None: here.
    """
    here = (platform or jax.default_backend()) == WINDOWS_PAY_ON
    pays = here and all(config.score.windowed_from < math.inf for config in attentions)
    return "windowed" if pays else "dense"
