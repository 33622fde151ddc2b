"""How translations go on while more is heard, against forced decoding and beam search."""

import jax
import numpy as np
import pytest

from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.data.vocabulary import BEGIN, END, PAD
from fa_jax.decoding.forced import trace_translations
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.decoding.search import length_limits, search
from fa_jax.decoding.simultaneous import POLICIES, Continuation, continuations
from fa_jax.kept_programs import KeptProgram
from fa_jax.model.encoder_decoder import init_encoder_decoder

CONFIG = ModelConfig(
    embedding_size=8, encoder_size=8, decoder_size=8, attention_size=8, bottleneck_size=8
)
DECODING = DecodingConfig(threshold=1.2, beam_size=1, batch_size=16, max_length_extra=4)
RANDOM = np.random.default_rng(0)
SOURCES = [RANDOM.integers(4, 9, n).tolist() for n in (20, *RANDOM.integers(1, 17, 20))]
BEGUN = [RANDOM.integers(4, 6, n).tolist() for n in RANDOM.integers(0, 3, 21)]
NEEDED = {
    "focus": lambda trace: trace.focus,
    "align-att": lambda trace: trace.weights.argmax(1),
    "wait-k": lambda trace: np.arange(len(trace.focus)) - 1,
}


@pytest.fixture(scope="module")
def model():
    params = init_encoder_decoder(jax.random.key(5), CONFIG, 9, 6)
    params = jax.tree.map(lambda x: np.array(x * 3), params)
    params["decoder"]["output"]["bias"][END] += 1
    return TrainedModel(params, CONFIG)


@pytest.fixture(scope="module")
def found(model):
    return continuations(model, DECODING, SOURCES, BEGUN)


def test_what_begins_with_nothing_goes_on_as_beam_search_of_one_hypothesis(model):
    results = search([model], DECODING, [[[source] for source in SOURCES]])
    expected = [result.hypotheses[0].words for result in results]
    found = continuations(model, DECODING, SOURCES, [[] for _ in SOURCES])
    assert [one.words for one in found] == expected


def test_words_and_the_places_that_they_need_are_those_of_forced_decoding(model, found):
    lengths = set()
    for source, before, one in zip(SOURCES, BEGUN, found, strict=True):
        assert one.words[: len(before)] == before
        (trace,) = trace_translations(model, DECODING, [source], [one.words])
        likeliest = [
            next(word for word, _ in step if word not in (PAD, BEGIN))
            for step in trace.alternatives
        ]
        steps = slice(len(before), len(one.words))
        assert likeliest[steps] == one.words[steps]
        full = len(one.words) == length_limits(len(source), DECODING)
        assert full or likeliest[len(one.words)] == END
        assert one.needed.keys() == POLICIES.keys() == NEEDED.keys()
        for name, places in one.needed.items():
            expected = NEEDED[name](trace)[: len(one.words)]
            np.testing.assert_allclose(places[: len(one.words)], expected, rtol=1e-4, atol=1e-4)
        lengths.add(len(one.words) - len(before))
    assert len(lengths) > 3


def test_each_is_as_if_it_were_alone(model, found):
    for source, before, one in zip(SOURCES, BEGUN, found, strict=True):
        (alone,) = continuations(model, DECODING, [source], [before])
        assert alone.words == one.words


def test_what_is_alike_is_computed_once(model, monkeypatch):
    calls, run = [], KeptProgram.__call__
    monkeypatch.setattr(KeptProgram, "__call__", lambda *given: calls.append(given) or run(*given))
    one, *others = continuations(model, DECODING, [[4, 5]] * 40, [[4]] * 40)
    assert len(calls) == 1 and all(other is one for other in others)


def test_nothing_was_said(model):
    empty, one = continuations(model, DECODING, [[], [4]], [[], [4]])
    assert empty.words == [] and one.words[0] == 4
    assert all(empty.writable(policy, 1.0, 0, 0) == [] for policy in POLICIES)
    assert continuations(model, DECODING, [], []) == []


def test_words_wait_from_the_first_that_needs_what_is_too_near():
    """Of five tokens that were heard, 0 to 4."""
    places = np.array([2.5, 0, 2.0, 3.5, 1.0, 9, 9])
    one = Continuation([7, 8, 9, 10, 11], {"focus": places})
    for behind, written, expected in ((2, 0, 0), (1.5, 0, 3), (0.5, 0, 4), (2, 1, 3), (2, 5, 5)):
        assert len(one.writable("focus", behind, 5, written)) == expected
    assert one.writable("focus", 99, 5, 2) == [7, 8]
    assert Continuation([], {"focus": places}).writable("focus", 0, 5, 0) == []
