"""A shortlist against a model that cannot write the other words."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding import search as search_module
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.decoding.shortlist import OutputLayer, candidates_for
from fa_jax.model.encoder_decoder import init_encoder_decoder

CONFIG = ModelConfig(
    embedding_size=8, encoder_size=8, decoder_size=8, attention_size=8, bottleneck_size=8
)
SOURCES = [[4, 5, 6, 7], [5, 4], [8, 8, 8, 4, 5, 6, 7, 8, 4, 4, 5, 6, 6, 7, 7, 8, 5], [6]]
WORDS = 30
FREQUENT = 8
LEXICON = np.random.default_rng(0).integers(4, WORDS, (9, 3)).astype(np.int32)


@pytest.fixture(scope="module")
def params():
    return jax.tree.map(lambda x: x * 3, init_encoder_decoder(jax.random.key(4), CONFIG, 9, WORDS))


def search(params, sources, lexicon=LEXICON, **options):
    decoding = DecodingConfig(beam_size=4, **options)
    members, documents = [TrainedModel(params, CONFIG)], [[[source] for source in sources]]
    return search_module.search(members, decoding, documents, n_best=3, lexicon=lexicon)


def assert_same(results, expected):
    for a, b in zip(results, expected, strict=True):
        assert [h.words for h in a.hypotheses] == [h.words for h in b.hypotheses]
        scores = [[h.score for h in r.hypotheses] for r in (a, b)]
        np.testing.assert_allclose(*scores, rtol=1e-4)
        assert (a.scored, a.calls) == (b.scored, b.calls)


@pytest.mark.parametrize("source", SOURCES, ids=len)
def test_only_listed_words_share_the_probability(params, source):
    listed = {*range(FREQUENT), *LEXICON[source].ravel().tolist()}
    other = np.array([word not in listed for word in range(WORDS)])
    output = params["decoder"]["output"]
    without = {**output, "bias": jnp.where(other, -jnp.inf, output["bias"])}
    params = {**params, "decoder": {**params["decoder"], "output": without}}
    assert_same(search(params, [source], shortlist=FREQUENT), search(params, [source]))


@pytest.mark.parametrize("size", [WORDS, WORDS + 5])
def test_a_list_of_all_words_changes_nothing(params, size):
    assert_same(search(params, SOURCES, shortlist=size), search(params, SOURCES, None))


def test_neighbours_do_not_matter(params):
    together = search(params, SOURCES, shortlist=FREQUENT)
    for source, expected in zip(SOURCES, together, strict=True):
        assert_same(search(params, [source], shortlist=FREQUENT, batch_size=1), [expected])


def test_a_word_is_listed_once():
    lexicon = np.array([[0, 0], [5, 6], [6, 9], [9, 3]])
    sources, lengths = np.array([[1, 2, 3], [3, 1, 1]]), np.array([3, 1])
    found = candidates_for(sources, lengths, 6, 100, lexicon)
    assert [[word for word in row if word] for row in found.tolist()] == [[6, 9], [9]]


@pytest.mark.parametrize(("own", "width"), [(3, 64), (65, 128), (150, 256)])
def test_lists_are_as_long_as_the_longest_needs(own, width):
    """In few sizes."""
    lexicon = np.tile(np.arange(8, 8 + own, dtype=np.int32), (9, 1))
    sources = np.full((2, 512), 4)
    found = candidates_for(sources, np.array([512, 0]), 8, 1000, lexicon)
    assert found.shape == (2, width)
    assert sorted(found[0])[-own:] == list(range(8, 8 + own)) and not found[1].any()


def test_a_rounded_output_layer_hardly_changes_log_probs(params):
    found = candidates_for(np.array([[4, 5, 6]]), np.array([3]), FREQUENT, WORDS, LEXICON)
    x = jax.random.normal(jax.random.key(0), (1, 4, 8))

    def log_probs(dtype):
        layer = OutputLayer(params["decoder"]["output"], FREQUENT, dtype)
        scores = layer.scores(x, layer.own_words(jnp.asarray(found)))
        assert scores.dtype == jnp.float32
        return jax.nn.log_softmax(scores)

    exact, rounded = log_probs("model"), log_probs("bfloat16")
    listed = np.isfinite(exact)
    np.testing.assert_allclose(exact[listed], rounded[listed], atol=0.1)
    assert listed.sum() == 4 * (FREQUENT + np.count_nonzero(found))
    assert (exact != rounded)[listed].any()


def test_the_search_takes_the_rounded_layer(params):
    exact, rounded = (search(params, SOURCES, output_dtype=d) for d in ("model", "bfloat16"))
    scores = [[result.hypotheses[0].score for result in side] for side in (exact, rounded)]
    assert scores[0] != scores[1]
