"""Beam search as a program of its own: lowered for every platform, weights as its arguments."""

import functools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from fa_jax.attention.implementation import Implementation, for_search
from fa_jax.config import DecodingConfig
from fa_jax.decoding.beam import SearchSettings
from fa_jax.decoding.beam_search import beam_search
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.decoding.search import length_limit
from fa_jax.model.encoder_decoder import Params

PLATFORMS = ("cpu", "cuda", "tpu")
Weights = dict[str, np.ndarray]
Found = dict[str, Array]


def named_weights(params: Params) -> Weights:
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
    forbidden: Sequence[int] = (),
    platforms: Sequence[str] = PLATFORMS,
) -> bytes:
    """Beam search for so many sentences of up to so many tokens, as `jax.export` serializes it.

    It takes weights by name, sources [B, S], their lengths [B], most words of each translation [B]
    (0: no sentence) and τ; and gives the best translation's words [B, L], their number [B] with the
    end of sentence, and its score [B]. forbidden: as of `SearchSettings`.
    """
    from jax import export  # it needs some time

    limit = length_limit(length, decoding)
    search = _search(model, decoding, limit, sentences, forbidden)
    shape = jax.ShapeDtypeStruct
    rows = shape((sentences,), jnp.int32)
    weights = {k: shape(v.shape, v.dtype) for k, v in named_weights(model.params).items()}
    program = export.export(jax.jit(search), platforms=tuple(platforms))(
        weights,
        shape((sentences, length), jnp.int32),
        rows,
        rows,
        shape((), jnp.float32),
    )
    return bytes(program.serialize())


def _search(
    model: TrainedModel,
    decoding: DecodingConfig,
    limit: int,
    sentences: int,
    forbidden: Sequence[int],
) -> Callable:
    """Attention is evaluated as `for_search` says, on each platform."""
    structure = jax.tree.structure(model.params)
    names = list(named_weights(model.params))
    vocabulary = model.params["decoder"]["output"]["bias"].shape[0]

    def search(
        implementation: Implementation,
        weights: dict[str, Array],
        sources: Int[Array, "B S"],
        lengths: Int[Array, " B"],
        limits: Int[Array, " B"],
        threshold: Float[Array, ""],
    ) -> Found:
        found = beam_search(
            [structure.unflatten([weights[name] for name in names])],
            [sources],
            [lengths],
            limits,
            jnp.zeros((sentences, 0), jnp.int32),
            threshold,
            jnp.float32(decoding.length_power),
            settings=SearchSettings(
                configs=(model.config,),
                frequent=vocabulary,
                beam_size=min(decoding.beam_size, vocabulary),
                max_length=limit,
                forbidden=tuple(forbidden),
                implementation=implementation,
                output_dtype=decoding.output_dtype,
            ),
        )
        best = {"words": found.words, "lengths": found.lengths, "scores": found.scores}
        return {name: leaf[:, 0] for name, leaf in best.items()}

    if decoding.implementation != "auto":
        return functools.partial(search, decoding.implementation)
    attention = [model.config.attention]
    by_platform = {
        platform: functools.partial(search, for_search(attention, platform=platform))
        for platform in PLATFORMS
    }
    return lambda *arguments: jax.lax.platform_dependent(*arguments, **by_platform)
