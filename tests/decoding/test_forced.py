"""Traces of many translations: together as alone, in few calls of the device."""

import jax
import numpy as np
import pytest

from fa_jax.attention import AttentionConfig
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding import forced
from fa_jax.decoding.forced import LOOKED_AT, looked_at, trace_translations
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.decoding.search import search
from fa_jax.kept_programs import KeptProgram
from fa_jax.model.encoder_decoder import init_encoder_decoder

CONFIG = ModelConfig(
    embedding_size=8,
    encoder_size=8,
    decoder_size=8,
    attention_size=8,
    bottleneck_size=8,
    attention=AttentionConfig("fine_grained", "flexible"),
)
DECODING = DecodingConfig(threshold=1.2, batch_size=16)
RANDOM = np.random.default_rng(0)
SOURCES = [RANDOM.integers(4, 9, n).tolist() for n in (30, *RANDOM.integers(1, 17, 19), 20)]
WORDS = [RANDOM.integers(3, 6, n).tolist() for n in (2, *RANDOM.integers(0, 16, 19), 5)]
"""19 pairs of one padded shape; a longer source before and behind them."""


@pytest.fixture
def model():
    params = init_encoder_decoder(jax.random.key(1), CONFIG, 9, 6)
    return TrainedModel(jax.tree.map(lambda x: np.asarray(x * 3), params), CONFIG)


@pytest.fixture
def calls(monkeypatch):
    """Arguments of each call of the device."""
    found = []
    run = KeptProgram.__call__
    monkeypatch.setattr(
        KeptProgram, "__call__", lambda program, *given: found.append(given) or run(program, *given)
    )
    return found


def test_together_as_alone_in_few_calls(model, calls):
    together = trace_translations(model, DECODING, SOURCES, WORDS)
    assert [source.shape for _, source, *_ in calls] == [(16, 16), (16, 16), (8, 32)]
    for source, words, trace in zip(SOURCES, WORDS, together, strict=True):
        (alone,) = trace_translations(model, DECODING, [source], [words])
        assert trace.by_dimension.shape == (len(words) + 1, len(source), 16)
        np.testing.assert_allclose(trace.by_dimension.sum(1), 1, rtol=1e-5)
        for name in ("log_probs", "weights", "focus", "strength", "by_dimension"):
            values = getattr(alone, name), getattr(trace, name)
            np.testing.assert_allclose(*values, rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(alone.windows, trace.windows)
        best = [[word for word, _ in step] for step in trace.alternatives]
        assert best == [[word for word, _ in step] for step in alone.alternatives]


def test_where_a_step_looks_is_that_of_its_trace(model):
    traces = trace_translations(model, DECODING, SOURCES, WORDS)
    places = zip(*(looked_at(model, DECODING, SOURCES, WORDS, by) for by in LOOKED_AT), strict=True)
    for trace, (heaviest, focus) in zip(traces, places, strict=True):
        np.testing.assert_array_equal(heaviest, trace.weights.argmax(1))
        np.testing.assert_array_equal(focus, np.rint(trace.focus))


def test_batches_of_long_sentences_are_small(model, calls, monkeypatch):
    monkeypatch.setattr(forced, "LARGEST_BATCH", 16 * (32 * 16 + 6))
    trace_translations(model, DECODING, SOURCES, WORDS)
    devices = jax.local_device_count()
    fit = (16 * (32 * 16 + 6)) // (16 * (16 * 16 + 6))
    rows = {source.shape for _, source, *_ in calls}
    assert rows == {(min(16, fit * devices), 16), (devices, 32)}


def test_what_is_kept_is_chosen(model):
    kept = trace_translations(model, DECODING, SOURCES, WORDS, lambda trace: trace.weights.shape)
    assert kept == [(len(w) + 1, len(s)) for s, w in zip(SOURCES, WORDS, strict=True)]
    assert trace_translations(model, DECODING, [], []) == []


def test_parameters_are_brought_to_the_devices_once(model, calls):
    for _ in range(2):
        search([model], DECODING, [[SOURCES[:1]]])
        trace_translations(model, DECODING, SOURCES[:1], WORDS[:1])
    held = [jax.tree.leaves(params) for params, *_ in calls]
    assert len(held) == 4
    for leaf, *others in zip(*held, strict=True):
        assert isinstance(leaf, jax.Array) and all(other is leaf for other in others)
        assert leaf.sharding.device_set == {*jax.local_devices()}
