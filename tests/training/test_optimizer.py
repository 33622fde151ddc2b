"""Muon against the singular value decomposition, in float64; Adam for what is no hidden matrix."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from fa_jax.config import ModelConfig, TrainingConfig
from fa_jax.model.encoder_decoder import init_encoder_decoder
from fa_jax.presets import SYSTEMS
from fa_jax.training import optimizer
from fa_jax.training.optimizer import make_optimizer

CLIP = 1e6
"""So large that nothing is clipped."""


@pytest.fixture(autouse=True)
def promoted():
    """optax raises floats to counts."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def first_update(params, gradient, kind="muon"):
    return updated(make_optimizer(TrainingConfig(optimizer=kind, clip_norm=CLIP)), params, gradient)


@partial(jax.jit, static_argnums=0)
def updated(optimizer, params, gradient):
    return optimizer.update(gradient, optimizer.init(params), params)[0]


@jax.jit
def random_like(params):
    leaves, shape = jax.tree.flatten(params)
    keys = jax.random.split(jax.random.key(1), len(leaves))
    return shape.unflatten(map(lambda key, x: jax.random.normal(key, x.shape), keys, leaves))


@pytest.mark.parametrize("shape", [(96, 200), (200, 96), (300, 160)])
def test_a_hidden_matrix_moves_alike_in_all_directions(shape, monkeypatch):
    """Five iterations bring singular values between 0.68 and 1.28 (Jordan et al. 2024), whatever
    the gradient's are; the directions stay. Taller matrices in blocks, each by itself."""
    monkeypatch.setattr(optimizer, "ITERATIONS", 5)
    gradient = {"hidden": {"kernel": jax.random.normal(jax.random.key(0), shape) * 7}}
    found = -first_update(jax.tree.map(jnp.zeros_like, gradient), gradient)["hidden"]["kernel"]
    height = next(h for h in range(128, 0, -1) if shape[0] % h == 0)
    for first in range(0, shape[0], height):
        rows = slice(first, first + height)
        g, moved = (np.asarray(x[rows], np.float64) for x in (gradient["hidden"]["kernel"], found))
        left, _, right = np.linalg.svd(g, full_matrices=False)
        inner = left.T @ moved @ right.T
        values = np.diag(inner) / (0.2 * max(g.shape) ** 0.5)
        assert values.min() > 0.6 and values.max() < 1.35
        np.testing.assert_allclose(inner - np.diag(np.diag(inner)), 0, atol=1e-3)


@pytest.mark.parametrize("system", ["tensor", "context-atty2d", "location-feed"])
def test_every_parameter_moves_as_much_as_by_adam(system):
    """To within a factor of three, so that both have one learning rate. Embeddings, the output
    layer, vectors and biases as by Adam with Nesterov's momentum."""
    sizes = dict.fromkeys(
        ("embedding_size", "encoder_size", "decoder_size", "attention_size", "bottleneck_size"), 16
    )
    config = SYSTEMS[system].of(ModelConfig(**sizes))
    params = jax.jit(partial(init_encoder_decoder, jax.random.key(0), config, 30, 40))()
    gradient = random_like(params)
    found = first_update(params, gradient)
    wanted = updated(optax.adam(1.0, nesterov=True), params, gradient)
    for (path, one), other in zip(
        jax.tree_util.tree_leaves_with_path(found), jax.tree.leaves(wanted), strict=True
    ):
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        if one.ndim < 2 or name.endswith(("embedding", "output/kernel")):
            np.testing.assert_allclose(one, other, rtol=1e-4, err_msg=name)
        else:
            size = float(jnp.sqrt(jnp.mean(one**2)))
            assert 0.2 / 3 < size < 0.2 * 3, name


def test_a_large_gradient_is_clipped_before():
    """By Adam, whose first step is the gradient's sign, its size shows in the second moment."""
    gradient = {"bias": jnp.full(4, 10.0)}
    made = make_optimizer(TrainingConfig(optimizer="adam", clip_norm=2.0))
    _, state = made.update(gradient, made.init(gradient), gradient)
    second = optax.tree.get(state, "nu")["bias"]
    np.testing.assert_allclose(second, 0.001 * np.full(4, 1.0), rtol=1e-4)
