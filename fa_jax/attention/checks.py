"""Errors that name the argument, at trace time."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from fa_jax.attention.step import AttentionState, Memory, Params


def check_array(name: str, array: Array, shape: tuple[int | str, ...], kind: type):
    """Raises an error that names the argument unless it is an array of this shape and kind.

    shape: a letter stands for any size, by which the message calls it.
    """
    if not hasattr(array, "dtype") or not jnp.issubdtype(array.dtype, kind):
        found = getattr(array, "dtype", type(array).__name__)
        raise TypeError(f"{name} must be an array of {kind.__name__} numbers, got {found}")
    fits = len(array.shape) == len(shape) and all(
        isinstance(wanted, str) or wanted == size for wanted, size in zip(shape, array.shape)
    )
    if not fits:
        wanted = ", ".join(map(str, shape))
        raise ValueError(f"{name} must have shape [{wanted}], got {list(array.shape)}")


def check_positive(**numbers: float | Array):
    """Raises an error that names the argument unless each is a single positive number; of a traced
    one the value is not known."""
    for name, value in numbers.items():
        if not jnp.issubdtype(getattr(value, "dtype", type(value)), jnp.number):
            raise TypeError(f"{name} must be a number greater than 0, got {value!r}")
        if np.ndim(value) != 0:
            raise ValueError(f"{name} must be a single number, got shape {np.shape(value)}")
        known = not isinstance(value, jax.core.Tracer)
        if known and not np.asarray(value) > 0:  # numpy, or jit would trace the comparison
            raise ValueError(f"{name} must be greater than 0, got {value}")


def check_lengths(name: str, lengths: Int[Array, "..."], size: int):
    """Raises an error that names the argument and the row unless all are from 0 to size.

    Values that are not known here are not checked: traced ones, and those of other hosts.
    """
    if isinstance(lengths, jax.core.Tracer) or not getattr(lengths, "is_fully_addressable", True):
        return
    values = np.asarray(lengths)
    for row in np.argwhere((values < 0) | (values > size))[:1]:
        raise ValueError(
            f"{name}[{', '.join(map(str, row))}] must be from 0 to {size}, the number of padded "
            f"positions, got {values[tuple(row)]}"
        )


def check_memory(memory: Memory, attention: str):
    """Raises an error unless it is what `prepare_memory` returned for an attention of this name."""
    if not isinstance(memory, Memory):
        raise TypeError(
            f"memory must be what prepare_memory returns, got {type(memory).__name__}: "
            "memory = fa_jax.prepare_memory(params, annotations, lengths)"
        )
    if memory.attention not in ("", attention):
        raise ValueError(
            f"memory was prepared for {memory.attention}, and this step is of {attention}: give "
            "prepare_memory(params, annotations, lengths, config) the config of the step"
        )
    check_lengths("memory.lengths", memory.lengths, memory.annotations.shape[1])


def check_state(state: AttentionState):
    """Raises an error unless it is a state of attention: its focus alone is none."""
    if not isinstance(state, AttentionState):
        raise TypeError(
            f"state must be out.state of the step before, got {type(state).__name__}: "
            "the first is fa_jax.initial_attention_state(memory, config)"
        )


def check_params(params: Params, span_network: str = ""):
    """Raises an error unless the parameters have a score's entry and that of the span's network."""
    if not isinstance(params, Mapping):
        raise TypeError(
            f"params must be what init_flexible_attention or init_attention returns, got "
            f"{type(params).__name__}"
        )
    for name in filter(None, ("score", span_network)):
        if name not in params:
            found = ", ".join(map(repr, params)) or "nothing"
            raise ValueError(
                f"params has no entry {name!r}, only {found}: hand in what "
                "init_flexible_attention or init_attention returned for this attention"
            )
