"""A name stands for a value with its default settings."""

from typing import Any


def value_of(chosen: Any, registry: dict[str, type], role: str) -> Any:
    """The value that a name stands for; a value stands for itself.

    Args:
      chosen: a name of the registry, or a value.
      registry: `SCORES`, `SPANS` or `SUMMARIES`.
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
        f"{kind} has no name: register it in fa_jax.SCORES, SPANS or SUMMARIES, as "
        f'fa_jax.SCORES["{kind.lower()}"] = {kind}'
    )
