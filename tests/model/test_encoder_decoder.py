"""The translator against a float64 reference, sentence by sentence; padding never matters."""

import dataclasses
import functools

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.attention import AttentionConfig
from fa_jax.config import Config, ModelConfig
from fa_jax.data.batches import Batch
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import (
    cast_for_compute,
    force_translation,
    init_encoder_decoder,
    read_source,
    word_log_probs,
)
from fa_jax.model.fused import fuse
from fa_jax.presets import SYSTEMS
from fa_jax.training.loss import translation_loss
from tests.model.reference import force

CONFIG = ModelConfig(
    embedding_size=6, encoder_size=5, decoder_size=7, attention_size=8, bottleneck_size=4
)
LUONG = {"directions": "backward", "encoder_size": 7, "query": "current", "input_feeding": True}
SOURCES = [[4, 5, 6, 7, 8, 5, 9], [5], [9, 8, 7]]
TARGETS = [[4, 6, 2], [5, 5, 5, 5, 5, 2], [2]]


def padded(sentences, length):
    rows = np.zeros((len(sentences), length), np.int32)
    for row, sentence in zip(rows, sentences, strict=True):
        row[: len(sentence)] = sentence
    return jnp.asarray(rows)


def parameters(config=CONFIG):
    params = init_encoder_decoder(jax.random.key(0), config, 10, 8)
    params = jax.tree.map(lambda leaf: leaf * 3, params)
    if "strength" in params["decoder"]["attention"]:
        params["decoder"]["attention"]["strength"]["bias"] = jnp.float32(0.2)
    return params


def forced(params, config, source_length, target_length, **options):
    sources, targets = padded(SOURCES, source_length), padded(TARGETS, target_length)
    return forced_words(params, config, sources, targets, **options)


@functools.partial(jax.jit, static_argnames=("config", "threshold", "implementation"))
def forced_words(
    params, config, source, target, training_keys=None, threshold=jnp.inf, implementation="dense"
):
    params = cast_for_compute(params, config)
    read = read_source(params, config, source, (source > 0).sum(1), training_keys)
    bottleneck, attention = force_translation(
        params,
        config,
        read,
        source,
        target,
        threshold=threshold,
        implementation=implementation,
    )
    return word_log_probs(params, bottleneck, target), attention


def test_parameters_are_float32_where_jax_computes_with_64_bits():
    config = dataclasses.replace(CONFIG, contextualize=True, layers=2)
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        params = jax.eval_shape(
            lambda key: init_encoder_decoder(key, config, 9, 8), jax.random.key(0)
        )
    assert {leaf.dtype for leaf in jax.tree.leaves(params)} == {jnp.dtype("float32")}


def test_attention_and_gates_read_the_state_by_one_product():
    kernels = fuse(decoder.step_kernels(parameters()["decoder"], CONFIG))
    gates, score, strength = 4 * 7, 8, 8
    assert kernels["recurrent"].shape == (7, gates + score + strength)
    assert "query" not in kernels


@pytest.mark.parametrize(
    ("span", "threshold", "implementation"),
    [
        ("flexible", 0.5, "dense"),
        ("flexible", 0.5, "windowed"),
        ("flexible", np.inf, "windowed"),
        ("global", np.inf, "dense"),
    ],
)
def test_agrees_with_the_equations(span, threshold, implementation):
    config = dataclasses.replace(CONFIG, attention=AttentionConfig("concat", span))
    params = parameters(config)
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    if span == "global":  # the limit of flexible attention whose strength is 0
        strength = {"kernel": np.zeros((13, 8)), "vector": np.zeros(8), "bias": -np.inf}
        doubles["decoder"]["attention"]["strength"] = strength
    log_probs, attended = forced(
        params, config, 11, 9, threshold=threshold, implementation=implementation
    )
    for row, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        found = (
            log_probs[row],
            attended.strength[:, row],
            attended.state.focus[:, row],
            attended.window[:, row],
        )
        wanted = force(doubles, source, target, 1.5, threshold)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a[: len(target)], b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "threshold", "implementation"),
    [
        ({"input_feeding": True}, np.inf, "dense"),
        ({"contextualize": True}, np.inf, "dense"),
        ({"layers": 3, "input_feeding": True}, 0.5, "windowed"),
        ({"query": "current"}, 0.5, "windowed"),
        ({"directions": "forward", "encoder_size": 7, "layers": 2}, np.inf, "dense"),
        (LUONG | {"layers": 4}, 0.5, "dense"),
    ],
)
def test_what_systems_add_agrees_with_the_equations(changes, threshold, implementation):
    config = dataclasses.replace(CONFIG, **changes)
    params = parameters(config)
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    options = {"threshold": threshold, "implementation": implementation}
    log_probs, attended = forced(params, config, 11, 9, **options)
    for row, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        wanted, _, focus, _ = force(doubles, source, target, 1.5, threshold, config.query)
        found = log_probs[row], attended.state.focus[:, row]
        for a, b in zip(found, (wanted, focus), strict=True):
            np.testing.assert_allclose(a[: len(target)], b, rtol=1e-4, atol=1e-5)


def test_a_line_begins_where_the_source_has_its_line():
    """More lines than the source has begin where attention was."""
    params = parameters()
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    sources = [[4, 5, 2, 7, 8, 5, 2, 9], [5, 5]]
    targets = [[4, 2, 6, 5, 2, 5], [3, 2, 5, 2]]
    words = padded(sources, 11), padded(targets, 7)
    log_probs, attended = forced_words(params, CONFIG, *words, threshold=0.5)
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        begins = [place + 1 for place, word in enumerate(source) if word == 2]
        wanted, _, focus, _ = force(doubles, source, target, 1.5, 0.5, begins=begins)
        for a, b in ((log_probs[row], wanted), (attended.state.focus[:, row], focus)):
            np.testing.assert_allclose(a[: len(target)], b, rtol=1e-4, atol=1e-5)


def systems_of_all_parts():
    """Few systems of the three papers that have, together, every setting which one of them has."""
    chosen, found = [], set()
    for name, system in [("flexible", SYSTEMS["flexible"]), *reversed(SYSTEMS.items())]:
        config = system.of(dataclasses.replace(CONFIG, encoder_size=CONFIG.decoder_size))
        settings = vars(config) | vars(config.attention)
        parts = {(field, value) for field, value in settings.items() if field != "attention"}
        if not parts <= found:
            chosen.append(name)
            found |= parts
    return chosen


@pytest.mark.parametrize("system", systems_of_all_parts())
def test_padding_never_matters(system):
    """Nor does how attention is computed."""
    config = SYSTEMS[system].of(dataclasses.replace(CONFIG, encoder_size=CONFIG.decoder_size))
    config = dataclasses.replace(config, dropout=0.0)
    params = parameters(config)
    near, _ = forced(params, config, 7, 6)
    far, _ = forced(params, config, 24, 9, implementation="windowed")
    for row, target in enumerate(TARGETS):
        np.testing.assert_allclose(
            near[row, : len(target)], far[row, : len(target)], rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize(
    "changes",
    [
        {"layers": 2, "contextualize": True, "compute_dtype": "bfloat16"},
        LUONG | {"attention": AttentionConfig("location", "global")},
        {
            "directions": "forward",
            "encoder_size": 7,
            "attention": AttentionConfig("tensor", "monotonic_chunkwise"),
        },
    ],
)
@pytest.mark.parametrize("longest", [1, 16, 41])
def test_what_is_read_in_chunks_is_what_is_read_at_once(changes, longest):
    """And nothing of what lies behind the longest sentence's last chunk."""
    config = dataclasses.replace(CONFIG, **changes)
    params = cast_for_compute(parameters(config), config)
    lengths = jnp.array([1, longest // 2, longest])
    source = jax.random.randint(jax.random.key(1), (3, 64), 3, 10)
    read = jax.jit(read_source, static_argnums=1)
    at_once = read(params, config, source, lengths)
    in_chunks = read(params, config, source, lengths, longest=lengths.max())

    def of_sentences(found):
        """Without padding."""
        memory = found.memory
        inside = jnp.arange(64)[None] < lengths[:, None]
        return found.replace(
            memory=jax.tree.map(
                lambda leaf: leaf[inside] if leaf.shape[:2] == inside.shape else leaf, memory
            )
        )

    jax.tree.map(
        functools.partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-6),
        of_sentences(at_once),
        of_sentences(in_chunks),
    )
    last = -(-longest // 16) * 16
    assert not np.any(in_chunks.memory.annotations[:, last:])


def test_dropout_of_a_sentence_depends_on_its_own_key_alone():
    config = dataclasses.replace(CONFIG, dropout=0.3)
    keys = jax.random.split(jax.random.key(1), 3)
    params = parameters(config)
    log_probs, _ = forced(params, config, 7, 6, training_keys=keys)
    without, _ = forced(params, config, 7, 6)
    assert not np.allclose(log_probs[0, :3], without[0, :3])
    one = padded(SOURCES[:1], 7), padded(TARGETS[:1], 6)
    alone, _ = forced_words(params, config, *one, training_keys=keys[:1])
    np.testing.assert_allclose(alone[0, :3], log_probs[0, :3], rtol=1e-5)


def test_bfloat16_stays_near_float32():
    config = dataclasses.replace(CONFIG, compute_dtype="bfloat16")
    params = parameters(config)
    low, _ = forced(params, config, 7, 6)
    exact, _ = forced(params, CONFIG, 7, 6)
    np.testing.assert_allclose(low[0, :3], exact[0, :3], atol=0.3)


def test_bfloat16_keeps_the_gradients_of_long_translations():
    """Those of the strength network, whose parts are read at each of 160 steps."""
    sizes = ("embedding", "encoder", "decoder", "attention", "bottleneck")
    config = ModelConfig(**{f"{name}_size": 32 for name in sizes})
    rows, source_length, target_length, vocabulary = 16, 40, 160, 50
    key = jax.random.key(5)
    params = init_encoder_decoder(key, config, vocabulary, vocabulary)
    source_key, target_key = jax.random.split(key)
    batch = Batch(
        source=jax.random.randint(source_key, (rows, source_length), 3, vocabulary),
        source_lengths=jnp.full(rows, source_length),
        target=jax.random.randint(target_key, (rows, target_length), 3, vocabulary),
        target_lengths=jnp.full(rows, target_length),
        ids=jnp.arange(rows),
        sentences=jnp.ones(rows, int),
    )

    @functools.partial(jax.jit, static_argnums=0)
    def strength_gradient(config, params):
        options = {"sentences": jnp.float32(rows), "training_keys": None}
        options |= {"beta": 0.1, "threshold": jnp.inf}
        gradients, _ = jax.grad(translation_loss, has_aux=True)(
            params, Config(model=config), batch, **options
        )
        return jax.flatten_util.ravel_pytree(gradients["decoder"]["attention"]["strength"])[0]

    exact = strength_gradient(config, params)
    low = strength_gradient(dataclasses.replace(config, compute_dtype="bfloat16"), params)
    assert jnp.linalg.norm(low - exact) < 0.03 * jnp.linalg.norm(exact)
