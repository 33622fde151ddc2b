"""What types say of arrays on a mesh: how they are sharded, where its axes are explicit, as
`jax.make_mesh` makes them; and in a `shard_map` over which axes they vary."""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
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


def varying_as(tree: PyTree, *like: PyTree) -> PyTree:
    """The tree; in a `shard_map` its numbers vary over each axis that one of `like` varies over. A
    loop must begin with the types that it ends with."""
    leaves = jax.tree.leaves(like)
    if not any(jax.typeof(leaf).sharding.mesh.manual_axes for leaf in leaves):
        return tree

    @cache
    def nothing(dtype: jnp.dtype) -> Array:
        return sum(jnp.zeros_like(leaf, dtype, shape=()) for leaf in leaves)

    return jax.tree.map(
        lambda x: x + nothing(x.dtype) if jnp.issubdtype(x.dtype, jnp.number) else x, tree
    )
