"""Beam search as a program of its own: lowered for every platform, weights as its arguments."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from fa_jax.attention.implementation import for_search
from fa_jax.config import DecodingConfig
from fa_jax.decoding.beam_search import beam_search
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.decoding.search import length_limits
from fa_jax.decoding.search_settings import search_settings
from fa_jax.model.encoder_decoder import Params

PLATFORMS = ("cpu", "cuda", "tpu")


def named_weights(params: Params) -> dict[str, np.ndarray]:
    """Each array by its place: `decoder.attention.score.vector`."""
    leaves = jax.tree_util.tree_leaves_with_path(params)
    return {
        jax.tree_util.keystr(path, simple=True, separator="."): np.asarray(leaf)
        for path, leaf in leaves
    }


def lowered_search(
    model: TrainedModel,
    decoding: DecodingConfig,
    length: int,
    sentences: int,
    forbidden: tuple[int, ...],
) -> bytes:
    """Beam search for so many sentences of up to so many tokens, as `jax.export` serializes it.

    It takes weights by name, sources [B, S], their lengths [B], most words of each translation [B]
    (0: no sentence) and τ; and gives the best translation's words [B, L], their number [B] with the
    end of sentence, and its score [B]. forbidden: as of `SearchSettings`. Attention is evaluated as
    `for_search` says, on each platform.
    """
    from jax import export  # it needs some time

    limit = int(length_limits(length, decoding))
    settings = search_settings([model], decoding, max_length=limit, forbidden=forbidden)
    structure, named = jax.tree.structure(model.params), named_weights(model.params)
    names = [*named]

    def search(
        implementation: str,
        weights: dict[str, Array],
        sources: Int[Array, "B S"],
        lengths: Int[Array, " B"],
        limits: Int[Array, " B"],
        threshold: Float[Array, ""],
    ) -> dict[str, Array]:
        found = beam_search(
            [structure.unflatten([weights[name] for name in names])],
            [sources],
            [lengths],
            limits,
            jnp.zeros((sentences, 0), jnp.int32),
            threshold,
            jnp.float32(decoding.length_power),
            settings=replace(settings, implementation=implementation),
        )
        return {name: getattr(found, name)[:, 0] for name in ("words", "lengths", "scores")}

    program = partial(search, settings.implementation)
    if decoding.implementation == "auto":
        attention = [model.config.attention]
        by_platform = {one: partial(search, for_search(attention, one)) for one in PLATFORMS}
        program = partial(jax.lax.platform_dependent, **by_platform)
    shape = jax.ShapeDtypeStruct
    rows = shape((sentences,), jnp.int32)
    inputs = (
        {name: shape(array.shape, array.dtype) for name, array in named.items()},
        shape((sentences, length), jnp.int32),
        rows,
        rows,
        shape((), jnp.float32),
    )
    return bytes(export.export(jax.jit(program), platforms=PLATFORMS)(*inputs).serialize())
