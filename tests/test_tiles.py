"""The kernels that a GPU may compute windows with, interpreted on a CPU and lowered for a GPU."""

from contextlib import nullcontext
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType

import fa_jax
from experiments.accelerator.agreement import Sizes, _attended, _inputs, difference
from experiments.accelerator.products_as_sums import products_as_sums
from experiments.accelerator.steps_together import steps_together
from experiments.accelerator.tiles import Tiling, computing_windows
from fa_jax.attention import AttentionConfig
from fa_jax.config import DecodingConfig
from fa_jax.decoding.local_devices import TrainedModel, on_local_devices
from fa_jax.decoding.search import search
from fa_jax.model.encoder_decoder import init_encoder_decoder
from tests.decoding.test_beam_search import CONFIG

SIZES = Sizes(sentences=2, queries=2, length=21, units=6)
TILING = Tiling(positions=4, parts=2, interpret=True)


def distance(config, candidate):
    """Of the windows that a candidate computes from masking."""
    inputs = _inputs(config, SIZES)
    wanted = _attended(config, inputs, "dense", "highest")
    with candidate:
        found = _attended(config, inputs, "windowed", "highest")
    return difference(found, wanted)


@pytest.mark.parametrize("score", ["feedback", "general"])
def test_tiles_agree_with_masking(score):
    assert distance(AttentionConfig(score, "flexible"), computing_windows(TILING)) < 1e-5


def test_a_factor_behind_the_softmax_and_whole_sentences():
    for span in ("local_p", "global"):
        assert distance(AttentionConfig("concat", span), computing_windows(TILING)) < 1e-5


def gradient(config, inputs, implementation):
    """Of two steps, by parameters, query and annotations."""
    params, query, feedback, _, annotations, lengths = inputs
    weights = jnp.arange(1.0, 1 + SIZES.units)[None]

    def loss(params, query, annotations):
        memory = fa_jax.prepare_memory(params, annotations, lengths, config)
        state = fa_jax.initial_attention_state(memory, config)
        if implementation == "windowed":
            memory, state = fa_jax.learn_in_windows(memory, state)
        total = 0.0
        for step in range(2):
            out = fa_jax.attend(
                params,
                config,
                query[:, step],
                feedback[:, step],
                state,
                memory,
                threshold=1.2,
                implementation=implementation,
                details=False,
            )
            state = out.state
            total += (out.context * weights).sum() + state.focus.sum()
        return total

    with jax.default_matmul_precision("highest"):
        return jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(params, query, annotations)


@pytest.mark.parametrize("score", ["concat", "dot"])
def test_gradients_of_tiles_are_those_of_masking(score):
    config = AttentionConfig(score, "flexible")
    inputs = _inputs(config, SIZES)
    wanted = gradient(config, inputs, "dense")
    with computing_windows(TILING):
        found = gradient(config, inputs, "windowed")
    assert max(np.abs(leaf).max() for leaf in jax.tree.leaves(wanted)) > 1
    assert difference(found, wanted) < 1e-4


@pytest.mark.filterwarnings("ignore:The Pallas Triton backend is deprecated")
def test_gpus_get_a_program_of_it():
    config = AttentionConfig("concat", "flexible")
    inputs = _inputs(config, SIZES)
    on_gpu = nullcontext()
    if hasattr(jax.sharding, "AbstractDevice"):  # newer JAX asks which GPU it is
        device = jax.sharding.AbstractDevice("NVIDIA H100", None, "cuda")
        axis = {"axis_types": (AxisType.Auto,), "abstract_device": device}
        on_gpu = jax.sharding.use_abstract_mesh(AbstractMesh((1,), ("gpu",), **axis))
    with on_gpu, computing_windows(Tiling()):
        traced = jax.jit(partial(gradient, config, implementation="windowed")).trace(inputs)
        lowered = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert lowered.count("__gpu$xla.gpu.triton") >= 2


def test_a_search_that_asks_less_often_writes_the_same():
    model = TrainedModel(init_encoder_decoder(jax.random.key(1), CONFIG, 9, 6), CONFIG)
    decoding = DecodingConfig(beam_size=2, batch_size=8, max_length_extra=3)
    sources = [[[4 + i % 5] * (1 + i % 7)] for i in range(30)]  # more than there are places

    def searched():
        on_local_devices.cache_clear()
        return search([model], decoding, [sources])

    wanted = searched()
    with steps_together(3):
        found = searched()
    on_local_devices.cache_clear()
    assert found == wanted and len({len(r.hypotheses[0].words) for r in wanted}) > 3


def test_products_with_vectors_are_sums():
    random = np.random.default_rng(0)
    arrays = [jnp.asarray(random.normal(size=s), jnp.float32) for s in ((1, 1, 8), (1, 4, 8), (8,))]

    def function(query, keys, vector):
        scores = jnp.einsum("nkd,nsd->nks", query, jnp.tanh(keys))
        return scores[0, 0] * (keys[0] @ vector), jnp.einsum("nks,nkd->nsd", scores, query)

    with jax.default_matmul_precision("highest"):
        found, wanted = products_as_sums(function)(*arrays), function(*arrays)
    assert difference(found, wanted) < 1e-5
    summed = jax.make_jaxpr(products_as_sums(function))(*arrays)
    assert "dot_general" not in str(summed)
    with pytest.raises(NotImplementedError, match="a product of matrices"):
        products_as_sums(jnp.matmul)(jnp.ones((4, 8)), jnp.ones((8, 4)))
