"""Muon for the matrices between hidden layers, Adam for all else.

Adam divides a gradient's size out, number by number. Where signs align, a step then moves a
matrix by a large spectral norm, and recurrent layers excite themselves. Muon (Jordan et al. 2024)
makes the momentum of each matrix orthogonal: no step has a large spectral norm. Updates have one
root mean square whatever a matrix's shape (Liu et al. 2025, "Muon is Scalable for LLM Training").
"""

import jax
import optax
from jaxtyping import Array, PyTree
from optax.contrib import MuonDimensionNumbers, muon

from fa_jax.config import TrainingConfig

ITERATIONS = 3
"""Of Newton and Schulz. Five are usual, and take longer."""
ROWS = 128
"""A taller matrix is parted into blocks of so many rows, each made orthogonal by itself: the time
of an iteration grows with a block's rows."""


def make_optimizer(config: TrainingConfig) -> optax.GradientTransformation:
    """Over the whole model, for a learning rate of 1; a step multiplies by its own."""
    kinds = {"adam": optax.adam(1.0), "muon": _muon_in_blocks()}
    return optax.chain(optax.clip_by_global_norm(config.clip_norm), kinds[config.optimizer])


def _muon_in_blocks() -> optax.GradientTransformation:
    """Muon of hidden matrices, which it sees as [blocks, rows, columns], and Adam of the rest."""

    def axes(tree: PyTree) -> PyTree:
        return jax.tree.map(lambda x: MuonDimensionNumbers(1, 2) if x.ndim == 3 else None, tree)

    each = muon(1.0, consistent_rms=0.2, ns_steps=ITERATIONS, muon_weight_dimension_numbers=axes)

    def update(updates: PyTree, state: PyTree, params: PyTree) -> tuple[PyTree, PyTree]:
        found, state = each.update(_blocks(updates), state, _blocks(params))
        return jax.tree.map(lambda new, x: new.reshape(x.shape), found, updates), state

    return optax.GradientTransformation(lambda params: each.init(_blocks(params)), update)


def _blocks(tree: PyTree) -> PyTree:
    """Each hidden matrix as blocks of at most `ROWS` rows, of one size; all else as it is."""

    def block(path: tuple, leaf: Array) -> Array:
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        if leaf.ndim < 2 or name.endswith(("embedding", "output/kernel")):
            return leaf
        fewest = -(-len(leaf) // ROWS)
        count = next((n for n in range(fewest, 2 * fewest) if len(leaf) % n == 0), 1)
        return leaf.reshape(count, len(leaf) // count, -1)

    return jax.tree_util.tree_map_with_path(block, tree)
