"""Prefixes against an exhaustive search, terms against a greedy one."""

import dataclasses

import jax
import numpy as np
import pytest

from fa_jax.decoding.guided import AT_END, BEHIND, LEAST, NEAR, Guide, Kinds, Term
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.decoding.search import DecodingConfig
from tests.decoding.test_beam_search import (
    CONFIG,
    SIGMA,
    SOURCES,
    THRESHOLD,
    exhaustive,
    params,  # noqa: F401
    search,
    search_sentences,
)
from tests.model.reference import force

ENDS, WORDS = 2, range(6)
WRITABLE = (2, 3, 4, 5)
REPLACEABLE = 4
DIGIT = 5
TERMS = [
    [Term([5, 3, 5], 1, 2)],
    [Term([3, 3], 0, 0), Term([4, 5, 4], 1, 1)],
    [Term([3], 4, 6), Term([5, 5], 8, 8), Term([3], 12, 12)],
]


def guided(params, guides, sources=SOURCES, **options):  # noqa: F811
    members = [TrainedModel(params, CONFIG)]
    others = {name: options.pop(name) for name in ("n_best", "lexicon") if name in options}
    decoding = DecodingConfig(threshold=THRESHOLD, **options)
    others |= {"guides": guides, "kinds": Kinds(np.arange(6) >= REPLACEABLE, np.arange(6) == DIGIT)}
    return search_sentences(members, decoding, [sources], **others)


def log_probs(doubles, source, written, word):
    rows = force(doubles, source, [*written, word], SIGMA, THRESHOLD)
    return rows[0], rows[2][-1]


def test_what_begins_a_translation_is_given(params):  # noqa: F811
    """The best of all that begin so; their first words cost nothing."""
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    short = {"max_length_ratio": 0.0, "max_length_extra": 3, "beam_size": 6}
    source = SOURCES[0]
    for prefix in ([5], [3, 4]):
        (found,) = guided(params, [Guide(Term(prefix, 0, 0))], [source], n_best=6, **short)
        every = []
        for _, words in exhaustive(params, source, 3 + len(prefix)):
            if words[: len(prefix)] == prefix:
                probabilities = log_probs(doubles, source, words, ENDS)[0]
                every.append((probabilities[len(prefix) :].sum() / (len(words) + 1), words))
        best, *_ = sorted(every, reverse=True)
        assert found.hypotheses[0].words == best[1]
        np.testing.assert_allclose(found.hypotheses[0].score, best[0], rtol=1e-5)
        assert all(h.words[: len(prefix)] == prefix for h in found.hypotheses)


def greedy(doubles, source, terms, limit, has_numbers):
    """What a beam of one writes. limit: most words beside the terms."""
    most = limit + sum(len(term.words) for term in terms)
    written, must, missing, due = [], [], [*terms], None
    while ENDS not in written and len(written) < most:
        each = [log_probs(doubles, source, written, word) for word in WORDS]
        scores, focus = [rows[-1] for rows, _ in each], each[0][1]
        begins = {}
        if missing and not must and len(written) >= limit - 1:
            due, must = missing[0], missing[0].words
        if not must:
            likeliest, end = max(*scores[REPLACEABLE:], max(scores) - LEAST), scores[ENDS]
            natural = [*scores]
            if has_numbers:
                scores[DIGIT] = -np.inf
            for term in missing:
                if focus >= term.first - NEAR:
                    begins.setdefault(term.words[0], term)
                    price = BEHIND if focus > term.last + NEAR else 0
                    scores[term.words[0]] = max(scores[term.words[0]], likeliest - price)
            if missing:
                first = missing[0]
                if end - AT_END > natural[first.words[0]]:
                    begins.setdefault(first.words[0], first)
                scores[first.words[0]] = max(scores[first.words[0]], end - AT_END)
                scores[ENDS] = -np.inf
            word = max(WRITABLE, key=lambda word: scores[word])
            if word in begins:
                due, must = begins[word], begins[word].words[1:]
        else:
            word, *must = must
        written.append(word)
        ended = [t for t in missing if written[-len(t.words) :] == [*t.words]]
        if ended:
            missing.remove(due if due in ended else ended[0])
    return written


@pytest.mark.parametrize("numbers", [False, True])
def test_a_beam_of_one_writes_terms_where_the_focus_is(params, numbers):  # noqa: F811
    doubles = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    found = guided(params, [Guide(terms=t, has_numbers=numbers) for t in TERMS], beam_size=1)
    for source, terms, result in zip(SOURCES, TERMS, found, strict=True):
        words = greedy(doubles, source, terms, 2 * len(source) + 10, numbers)
        assert result.hypotheses[0].words == [word for word in words if word != ENDS]


@pytest.mark.parametrize("options", [{"shortlist": 5}, {"batch_size": 1, "n_best": 3}])
def test_no_term_is_left_out(params, options):  # noqa: F811
    guides = [Guide(Term([5, 4], 0, 0), terms) for terms in TERMS]
    lexicon = np.zeros((9, 1), np.int32)
    found = guided(params, guides, beam_size=3, lexicon=lexicon, **options)
    for guide, result in zip(guides, found, strict=True):
        for hypothesis in result.hypotheses:
            rest = hypothesis.words
            assert rest[:2] == [5, 4]
            assert all(_holds(rest, term.words) for term in guide.terms)


def _holds(words, wanted):
    return any(words[n : n + len(wanted)] == wanted for n in range(len(words)))


def test_where_nothing_is_wanted_nothing_changes(params):  # noqa: F811
    plain = search(params, beam_size=3, n_best=3)
    found = guided(params, [Guide(), Guide(terms=TERMS[1]), Guide()], beam_size=3, n_best=3)
    for row in (0, 2):
        assert [h.words for h in found[row].hypotheses] == [h.words for h in plain[row].hypotheses]
        scores = [[h.score for h in r.hypotheses] for r in (found[row], plain[row])]
        np.testing.assert_allclose(*scores, rtol=1e-5)
        assert dataclasses.astuple(found[row])[1:] == dataclasses.astuple(plain[row])[1:]
