"""Search through documents against an exhaustive search, line after line."""

import itertools

import jax
import numpy as np
import pytest

from fa_jax.config import DecodingConfig
from fa_jax.decoding import search as search_module
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.decoding.search import joined
from fa_jax.decoding.search import search as search_lines
from tests.decoding.test_beam_search import (
    CONFIG,
    SIGMA,
    SOURCES,
    THRESHOLD,
    WRITABLE,
    params,  # noqa: F401
)
from tests.model.reference import force

DOCUMENTS = [
    [[4, 5], [6], [7, 8, 4]],
    [[5, 4, 5]],
    [],
    [[8, 7], [], [4, 4]],
]
SHORT = {"max_length_ratio": 0.5, "max_length_extra": 2}


def search(params, documents=DOCUMENTS, progress=lambda lines: None, **options):  # noqa: F811
    """The results of each document's lines."""
    decoding = DecodingConfig(threshold=THRESHOLD, **options)
    members = [TrainedModel(params, CONFIG)]
    results = iter(search_lines(members, decoding, [documents], progress=progress))
    return [[next(results) for _ in lines] for lines in documents]


def test_a_line_is_the_best_that_goes_on_from_those_before(params):  # noqa: F811
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    found = search(params, beam_size=100, **SHORT)
    assert [len(lines) for lines in found] == [3, 1, 0, 3]
    for lines, results in zip(DOCUMENTS, found, strict=True):
        before, source = [], joined([line for line in lines if line])
        begins = [place + 1 for place, word in enumerate(source) if word == 2]
        for line, result in zip(lines, results, strict=True):
            (best,) = result.hypotheses
            if not line:
                assert best.words == []
                continue
            candidates = []
            for length in range(int(0.5 * len(line)) + 2):
                for words in itertools.product(WRITABLE[1:], repeat=length):
                    target = [*before, *words, 2]
                    log_probs = force(doubles, source, target, SIGMA, THRESHOLD, begins=begins)[0]
                    candidates.append((log_probs[len(before) :].mean(), list(words)))
            score, words = max(candidates)
            assert best.words == words
            np.testing.assert_allclose(best.score, score, rtol=1e-5)
            before += [*words, 2]


def test_a_document_of_one_line_is_a_sentence(params):  # noqa: F811
    """Searched in the queue of sentences, and beside a document that is none."""
    sentences = [[source] for source in SOURCES]
    alone = search(params, sentences)
    *found, _ = search(params, [*sentences, DOCUMENTS[0]])
    for (sentence,), (line,) in zip(alone, found, strict=True):
        assert line.hypotheses[0].words == sentence.hypotheses[0].words
        np.testing.assert_allclose(
            line.hypotheses[0].score, sentence.hypotheses[0].score, rtol=1e-5
        )
        assert (line.scored, line.calls) == (sentence.scored, sentence.calls)


def test_a_line_that_is_too_long_for_a_sentence_is_read_whole(params):  # noqa: F811
    documents = [[SOURCES[2]]]
    ((sentence,),) = search(params, documents)
    ((whole,),) = search(params, documents, max_source_length=len(SOURCES[2]) - 1)
    assert whole.hypotheses[0].words == sentence.hypotheses[0].words
    assert (whole.scored, whole.calls) == (sentence.scored, sentence.calls)


def test_neither_neighbours_nor_padding_matter(params, monkeypatch):  # noqa: F811
    """Nor how many lines are written at once."""
    documents = [*DOCUMENTS, [[4, 5, 6], [7, 7], [8, 4, 4, 6]] * 7, [[5] * 200]]
    together = search(params, documents, beam_size=4)
    monkeypatch.setattr(search_module, "LINES_AT_ONCE", 2)
    for row in (0, 3, 4):
        (alone,) = search(params, [documents[row]], beam_size=4, batch_size=1)
        for one, other in zip(alone, together[row], strict=True):
            assert one.hypotheses[0].words == other.hypotheses[0].words
            np.testing.assert_allclose(
                one.hypotheses[0].score, other.hypotheses[0].score, rtol=1e-4
            )
    most = [int(2 * len(line)) + 10 for line in documents[4]]
    assert all(len(r.hypotheses[0].words) <= n for r, n in zip(together[4], most, strict=True))


def test_a_long_document_can_be_stopped_between_its_lines(params, monkeypatch):  # noqa: F811
    monkeypatch.setattr(search_module, "LINES_AT_ONCE", 2)
    told, written = [], search_module.write_lines

    def stop(lines):
        told.append(lines)
        if len(told) == 3:
            raise KeyboardInterrupt

    programs = []
    compiled = search_module.on_local_devices

    def on_local_devices(function, *arguments, **options):
        program = compiled(function, *arguments, **options)
        if function is not written:
            return program
        return lambda *inputs: programs.append(told[:]) or program(*inputs)

    monkeypatch.setattr(search_module, "on_local_devices", on_local_devices)
    with pytest.raises(KeyboardInterrupt):
        search(params, [[[4, 5], [6], [7, 8, 4], [5], [4], [8]]], progress=stop)
    assert programs == [[], [1, 1]]
