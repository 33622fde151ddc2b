"""An attention is a score under a span."""

from dataclasses import dataclass, replace
from typing import Any

import jax
from jaxtyping import Array

from fa_jax.attention.score import Score
from fa_jax.attention.scores import SCORES
from fa_jax.attention.span import Span
from fa_jax.attention.spans import SPANS


@dataclass(frozen=True)
class AttentionConfig:
    """Which attention: how well does a position match, and which positions count?

    score, span: values such as `Tensor(slices=2)` and `Flexible(sigma=3.0)`, which hold their own
    settings. A name of `SCORES` or `SPANS` stands for the value with its defaults. Both are values
    afterwards. Every score goes with every span.

    Raises:
      ValueError: an unknown name. TypeError: a value that is no score or span.

    >>> fa_jax.AttentionConfig("tensor", fa_jax.Flexible(sigma=3.0))
    AttentionConfig(score=Tensor(slices=4), span=Flexible(sigma=3.0))
    """

    score: Score | str = "concat"
    span: Span | str = "flexible"

    def __post_init__(self):
        for role, registry, kind in (("score", SCORES, Score), ("span", SPANS, Span)):
            value = value_of(getattr(self, role), registry, role)
            if not isinstance(value, kind):
                raise TypeError(f"{role} must be a name or a {kind.__name__}, got {value!r}")
            object.__setattr__(self, role, value)


def title_of(config: AttentionConfig) -> str:
    """What messages call it.

    >>> title_of(fa_jax.AttentionConfig("dot", "global"))
    'Dot under Global'
    """
    return f"{type(config.score).__name__} under {type(config.span).__name__}"


def arrays_of(config: AttentionConfig) -> dict[str, dict[str, Array]]:
    """The settings that are arrays, such as a σ that is traced, of score and span."""
    parts = {"score": config.score, "span": config.span}
    return {
        role: {name: value for name, value in vars(part).items() if isinstance(value, jax.Array)}
        for role, part in parts.items()
    }


def with_arrays(config: AttentionConfig, arrays: dict[str, dict[str, Array]]) -> AttentionConfig:
    """With others in their place."""
    parts = {role: replace(getattr(config, role), **of) for role, of in arrays.items() if of}
    return replace(config, **parts)


def value_of(chosen: Any, registry: dict[str, type], role: str) -> Any:
    """The value that a name stands for; a value stands for itself.

    Args:
      chosen: a name of the registry, or a value.
      registry: `SCORES` or `SPANS`.
      role: what the registry holds, for the message.

    Raises:
      ValueError: an unknown name; the message lists the known ones.
    """
    if not isinstance(chosen, str):
        return chosen
    if chosen not in registry:
        raise ValueError(f"unknown {role} {chosen!r}: choose {', '.join(registry)}")
    return registry[chosen]()


def name_of(value: Any, registry: dict[str, type]) -> str:
    """The name under which a value's class is registered.

    Raises:
      ValueError: it is not; the message says how to register it.
    """
    for name, kind in registry.items():
        if type(value) is kind:
            return name
    kind = type(value).__name__
    raise ValueError(
        f"{kind} has no name: register it in fa_jax.SCORES or SPANS, as "
        f'fa_jax.SCORES["{kind.lower()}"] = {kind}'
    )


DEFAULT = AttentionConfig()
"""Flexible attention with additive scores (VS Eqs. 3 to 8)."""
