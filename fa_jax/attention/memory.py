"""What attention reads of the source, computed once a sentence (VS 5.5)."""

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PyTree

from fa_jax.attention.attention_config import DEFAULT, AttentionConfig, title_of
from fa_jax.attention.checks import check_array, check_lengths, check_params
from fa_jax.attention.mesh_types import in_auto_axes
from fa_jax.attention.position_chunks import in_chunks
from fa_jax.attention.step import Memory, Params


def prepare_memory(
    params: Params,
    annotations: Float[Array, "B S D"],
    lengths: Int[Array, " B"],
    config: AttentionConfig = DEFAULT,
) -> Memory:
    """Computes, once for each sentence, all that does not change from step to step.

    Args:
      params: from `init_attention` or `init_flexible_attention`.
      annotations: encoder states h̄_s, padded to a common length; padding may hold anything.
      lengths: each sentence's own length, 0 to S. Under `jax.jit` its values are not known, and a
        length above S is not noticed.
      config: that the parameters are of.

    Returns:
      What `attend` and `flexible_attention` read of the source.

    Raises:
      ValueError, TypeError: a shape or dtype does not fit, or a length is not from 0 to S; the
        message names the argument.

    >>> config = fa_jax.AttentionConfig("dot", "global")
    >>> annotations, lengths = jnp.ones((2, 9, 6)), jnp.array([9, 7])
    >>> memory = fa_jax.prepare_memory({"score": {}}, annotations, lengths, config)
    >>> memory.keys.shape
    (2, 9, 6)
    """
    check_params(params)
    check_array("annotations", annotations, ("B", "S", "D"), jnp.floating)
    check_array("lengths", lengths, annotations.shape[:1], jnp.integer)
    check_lengths("lengths", lengths, annotations.shape[1])
    annotations, lengths = jnp.asarray(annotations), jnp.asarray(lengths, jnp.int32)

    def prepared(params: Params, annotations: Array, lengths: Array) -> Memory:
        inside = jnp.arange(annotations.shape[1])[None] < lengths[:, None]
        clean = jnp.where(inside[..., None], annotations, 0)  # a NaN in padding: 0 · NaN is NaN
        return prepared_in_chunks(params, clean, lengths, config, None)

    return in_auto_axes(prepared, params, annotations, lengths, like=annotations)


def prepared_in_chunks(
    params: Params,
    annotations: Float[Array, "B S D"],
    lengths: Int[Array, " B"],
    config: AttentionConfig,
    longest: Int[Array, ""] | None,
) -> Memory:
    """`prepare_memory`, of positions before `longest` (`in_chunks`)."""
    positions = jnp.broadcast_to(jnp.arange(annotations.shape[1]), annotations.shape[:2])

    def keys(of: tuple[Array, Array]) -> tuple[PyTree, PyTree]:
        return config.score.keys(params["score"], *of), config.span.keys(params, of[0])

    of_score, of_span = in_chunks(keys, (annotations, positions), longest)
    return Memory(annotations, of_score, lengths, of_span, title_of(config))
