"""Meshes of explicit axes, as `jax.make_mesh` makes them: types say how arrays are sharded."""

from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec
from jaxtyping import Array, PyTree


def in_auto_axes(
    function: Callable[..., PyTree], *arguments: Any, like: Array, axes: int = 1
) -> PyTree:
    """function(*arguments), in which the compiler decides how to share work: a window's loop has no
    such types. All its results are sharded as the first `axes` axes of `like` are."""
    sharding = jax.typeof(like).sharding
    if not sharding.mesh.explicit_axes:
        return function(*arguments)
    leaves, structure = jax.tree.flatten(arguments)
    arrays = {place: leaf for place, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)}

    def of_arrays(arrays: dict[int, Array]) -> PyTree:
        filled = [arrays.get(place, leaf) for place, leaf in enumerate(leaves)]
        return function(*jax.tree.unflatten(structure, filled))

    rows = NamedSharding(sharding.mesh, PartitionSpec(*sharding.spec[:axes]))
    return jax.sharding.auto_axes(of_arrays, out_sharding=rows)(arrays)
