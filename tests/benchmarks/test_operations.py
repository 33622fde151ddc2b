"""The count by hand against the compiler's."""

import jax
import jax.numpy as jnp
import pytest

from experiments.benchmarks.operations import operations
from fa_jax.config import ModelConfig
from fa_jax.model.encoder_decoder import (
    force_translation,
    init_encoder_decoder,
    read_source,
    word_log_probs,
)

SIZES = dict(
    embedding_size=384,
    encoder_size=512,
    decoder_size=640,
    attention_size=448,
    bottleneck_size=320,
)
VOCABULARY = 1024


def counted(function, *arguments):
    return jax.jit(function).lower(*arguments).compile().cost_analysis()["flops"]


@pytest.mark.parametrize("query", ["previous", "current"])
def test_a_sentence_of_one_word_and_its_translation(query):
    config = ModelConfig(**SIZES, query=query)
    params = jax.eval_shape(
        lambda key: init_encoder_decoder(key, config, 50, VOCABULARY), jax.random.key(0)
    )
    words, length = jnp.ones((1, 1), jnp.int32), jnp.ones(1, jnp.int32)

    def read(params):
        memory = read_source(params, config, words, length).memory
        return memory.annotations, memory.keys

    def write(params):
        source = read_source(params, config, words, length)
        bottleneck, _ = force_translation(params, config, source, words, words)
        return word_log_probs(params, bottleneck, words)

    of = operations(config, VOCABULARY)
    reading = counted(read, params)
    assert reading == pytest.approx(of.read, rel=0.03)
    writing = of.feed_back + of.write + of.score
    start = 2 * config.encoder_size * config.decoder_size
    assert counted(write, params) - reading - start == pytest.approx(writing, rel=0.03)
