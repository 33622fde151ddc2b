"""Beam search against an exhaustive search on a tiny vocabulary."""

import dataclasses
import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.attention import AttentionConfig
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding.beam_search import beam_search
from fa_jax.decoding.forced import trace_translations
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.decoding.search import average_window
from fa_jax.decoding.search import search as search_documents
from fa_jax.decoding.search_settings import SearchSettings
from fa_jax.model.encoder_decoder import init_encoder_decoder
from tests.model.reference import force

CONFIG = ModelConfig(
    embedding_size=8, encoder_size=8, decoder_size=8, attention_size=8, bottleneck_size=8
)
SIGMA = CONFIG.attention.span.sigma
SOURCES = [[4, 5, 6, 7], [5, 4], [8, 8, 8, 4, 5, 6, 7, 8, 4, 4, 5, 6, 6, 7, 7, 8, 5]]
WRITABLE = (2, 3, 4, 5)
THRESHOLD = 1.2


def any_word(sentences):
    """No candidates: all words are frequent."""
    return jnp.zeros((sentences, 0), jnp.int32)


def settings(beam_size, max_length, **options):
    return SearchSettings((CONFIG,), 6, beam_size, max_length, **options)


@pytest.fixture(scope="module")
def params():
    params = jax.tree.map(lambda x: x * 3, init_encoder_decoder(jax.random.key(1), CONFIG, 9, 6))
    params["decoder"]["attention"]["strength"]["bias"] = jnp.float32(1.0)
    return params


def exhaustive(params, source, limit):
    """All translations of up to `limit` words that end, best first."""
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    found = []
    for length in range(limit):
        for words in itertools.product(WRITABLE[1:], repeat=length):
            target = [*words, 2]
            log_probs = force(doubles, source, target, SIGMA, THRESHOLD)[0]
            found.append((log_probs.mean(), list(words)))
    return sorted(found, reverse=True)


def search_sentences(members, decoding, sources, **options):
    """Sources of each member; a sentence is a document of one line."""
    documents = [[[source] for source in of_member] for of_member in sources]
    return search_documents(members, decoding, documents, **options)


def search(params, sources=SOURCES, n_best=1, **options):
    decoding = DecodingConfig(threshold=THRESHOLD, **options)
    return search_sentences([TrainedModel(params, CONFIG)], decoding, [sources], n_best=n_best)


PADDED, LIMITS = [SOURCES[0], [*SOURCES[1], 0, 0]], [4, 3]


def search_widely(params, sources, limits, longest, exponent=1.0, **options):
    """With a beam that no hypothesis falls out of."""
    sources = jnp.array(sources)
    limits = jnp.array(limits)
    given = [params], [sources], [(sources > 0).sum(1)], limits, any_word(len(limits))
    return searched(*given, THRESHOLD, exponent, settings=settings(100, longest, **options))


@partial(jax.jit, static_argnames=("settings", "places"))
def searched(params, sources, lengths, limits, *others, **options):
    return beam_search(params, sources, lengths, limits, *others, **options)


def test_a_wide_beam_finds_what_an_exhaustive_search_finds(params):
    found = search_widely(params, PADDED, LIMITS, 6, n_best=10)
    for row in range(2):
        expected = exhaustive(params, SOURCES[row], LIMITS[row])[:10]
        for place, (score, words) in enumerate(expected):
            length = int(found.lengths[row, place])
            assert found.words[row, place, :length].tolist() == [*words, 2]
            np.testing.assert_allclose(found.scores[row, place], score, rtol=1e-5)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 2.0])
def test_the_exponent_decides_between_lengths(params, exponent):
    found = search_widely(params, PADDED, LIMITS, 6, exponent, n_best=10)
    wanted = [
        (score * (len(words) + 1) ** (1 - exponent), words)
        for score, words in exhaustive(params, SOURCES[1], 3)
    ]
    for place, (score, words) in enumerate(sorted(wanted, reverse=True)[:5]):
        length = int(found.lengths[1, place])
        assert found.words[1, place, :length].tolist() == [*words, 2]
        np.testing.assert_allclose(found.scores[1, place], score, rtol=1e-5)


def test_greedy_takes_the_best_word_each_time(params):
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    (result,) = search(params, SOURCES[:1], beam_size=1)
    written, calls, scored = [], 0, 0
    while 2 not in written and len(written) < 2 * 4 + 10:
        rows = [force(doubles, SOURCES[0], [*written, word], SIGMA, THRESHOLD) for word in WRITABLE]
        scored += rows[0][3][-1]
        calls += 1
        written.append(WRITABLE[int(np.argmax([row[0][-1] for row in rows]))])
    assert result.hypotheses[0].words == [word for word in written if word != 2]
    assert (result.calls, result.scored) == (calls, scored)


def test_neither_neighbours_nor_padding_nor_devices_matter(params):
    together = search(params, beam_size=3, n_best=3)
    for row, source in enumerate(SOURCES):
        (alone,) = search(params, [source], beam_size=3, n_best=3, batch_size=1)
        assert [h.words for h in alone.hypotheses] == [h.words for h in together[row].hypotheses]
        scores = [[h.score for h in r.hypotheses] for r in (alone, together[row])]
        np.testing.assert_allclose(*scores, rtol=1e-5)
        assert (alone.scored, alone.calls) == (together[row].scored, together[row].calls)


LENGTHS = np.random.default_rng(0).integers(1, 17, 24)
MANY = np.random.default_rng(1).integers(4, 9, (24, 16)) * (np.arange(16) < LENGTHS[:, None])


def search_many(params, sources, lengths, places):
    return searched(
        [params], [sources], [lengths], 2 * lengths, any_word(len(lengths)), THRESHOLD,
        settings=settings(3, 32), places=places,
    )  # fmt: skip


@pytest.fixture(scope="module")
def alone(params):
    """What is found of each sentence where there is no other."""
    one = jax.jit(partial(search_many, params, places=None))
    return [one(MANY[row : row + 1], LENGTHS[row : row + 1]) for row in range(len(MANY))]


@pytest.mark.parametrize("places", [1, 7, 24])
def test_sentences_that_wait_end_as_they_would_alone(params, alone, places):
    """24 sentences on one device, some of them together."""
    together = jax.jit(partial(search_many, params, places=places))(MANY, LENGTHS)
    steps = np.asarray(together.calls)
    assert len(set(steps.tolist())) > 12  # they do end at different steps
    for row, one in enumerate(alone):
        for name in ("words", "lengths", "scored", "calls"):
            np.testing.assert_array_equal(getattr(one, name)[0], getattr(together, name)[row])
        np.testing.assert_allclose(one.scores[0], together.scores[row], rtol=1e-4)


def test_a_sentence_that_is_done_early_keeps_its_words(params):
    """Most sentences are short, so that there are always free places; what others found must be
    kept before the notes of it are written over."""
    count, longest = 600, 16

    @partial(jax.jit, static_argnums=2)
    def found(sources, limits, places):
        return searched(
            [params], [sources], [jnp.full(count, 4)], limits, any_word(count), jnp.inf,
            settings=settings(3, longest), places=places,
        ).words  # fmt: skip

    for seed in (4, 7):
        random = np.random.default_rng(seed)
        sources = jnp.asarray(random.integers(4, 9, (count, 4)))
        limits = jnp.asarray(random.choice([1, 2, 3, longest], count))
        together, waiting = (found(sources, limits, places) for places in (None, 64))
        np.testing.assert_array_equal(waiting, together)


def test_windows_alone_are_dense(params):
    dense = search(params, beam_size=4, implementation="dense")
    windowed = search(params, beam_size=4, implementation="windowed")
    for a, b in zip(dense, windowed, strict=True):
        assert a.hypotheses[0].words == b.hypotheses[0].words
        assert (a.scored, a.calls) == (b.scored, b.calls)


def test_an_empty_source_has_an_empty_translation(params):
    results = search(params, [[], SOURCES[0], []], beam_size=4)
    assert [bool(r.calls) for r in results] == [False, True, False]
    assert results[0].hypotheses[0].words == []


def test_without_a_threshold_the_window_is_the_sentence(params):
    decoding = DecodingConfig(beam_size=3)
    for source in SOURCES:
        results = search_sentences([TrainedModel(params, CONFIG)], decoding, [[source]], n_best=3)
        assert average_window(results) == len(source)


def test_the_trace_repeats_what_the_search_saw(params):
    decoding = DecodingConfig(threshold=THRESHOLD, beam_size=1)
    results = search_sentences([TrainedModel(params, CONFIG)], decoding, [SOURCES])
    words = [result.hypotheses[0].words for result in results]
    traces = trace_translations(TrainedModel(params, CONFIG), decoding, SOURCES, words)
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    for source, target, result, trace in zip(SOURCES, words, results, traces, strict=True):
        expected = force(doubles, source, [*target, 2], SIGMA, THRESHOLD)
        found = (trace.log_probs, trace.strength, trace.focus, trace.windows.sum(1))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(trace.weights.sum(1), 1, rtol=1e-5)
        if len(target) < 2 * len(source) + 10:  # it ended by itself
            np.testing.assert_allclose(
                trace.log_probs.mean(), result.hypotheses[0].score, rtol=1e-4
            )
            assert trace.windows.sum() == result.scored


def test_an_ensemble_is_the_mean_of_its_members_probabilities(params):
    """Members of different layers and sizes, which number the source's words differently."""
    general = AttentionConfig("general", "global")
    luongs = {"layers": 2, "directions": "backward", "query": "current", "input_feeding": True}
    sizes = {"encoder_size": 5, "decoder_size": 5}
    other_config = dataclasses.replace(CONFIG, attention=general, **sizes, **luongs)
    other = jax.tree.map(
        lambda x: x * 3, init_encoder_decoder(jax.random.key(2), other_config, 7, 6)
    )
    members = [TrainedModel(params, CONFIG), TrainedModel(other, other_config)]
    sources = [SOURCES, [[max(4, w - 2) for w in s] + [5] for s in SOURCES]]
    decoding = DecodingConfig(beam_size=4, threshold=THRESHOLD)
    results = search_sentences(members, decoding, sources, n_best=2)
    found = [(row, found) for row, result in enumerate(results) for found in result.hypotheses]
    words = [hypothesis.words for _, hypothesis in found]
    traces = [
        trace_translations(member, decoding, [read[row] for row, _ in found], words)
        for member, read in zip(members, sources, strict=True)
    ]
    for (row, hypothesis), *of_members in zip(found, *traces, strict=True):
        if len(hypothesis.words) < 2 * len(sources[1][row]) + 10:
            log_probs = np.array([trace.log_probs for trace in of_members], np.float64)
            wanted = np.log(np.exp(log_probs).mean(0)).mean()
            np.testing.assert_allclose(hypothesis.score, wanted, rtol=1e-4)
    twice = search_sentences(members[:1] * 2, decoding, [SOURCES, SOURCES])
    for both, one in zip(twice, search(params, beam_size=4), strict=True):
        assert both.hypotheses[0].words == one.hypotheses[0].words
        assert (both.scored, both.calls) == (2 * one.scored, 2 * one.calls)


def test_a_forbidden_word_is_never_written(params):
    """The others' probabilities stay as they are."""
    found = search_widely(params, SOURCES[:1], [4], 4, n_best=5, forbidden=(4,))
    every = exhaustive(params, SOURCES[0], 4)
    assert any(4 in words for _, words in every[:5])
    without = [(score, words) for score, words in every if 4 not in words]
    for place, (score, words) in enumerate(without[:5]):
        length = int(found.lengths[0, place])
        assert found.words[0, place, :length].tolist() == [*words, 2]
        np.testing.assert_allclose(found.scores[0, place], score, rtol=1e-5)
