"""Metrics, of whatever texts."""

import math

from hypothesis import given
from hypothesis import strategies as st

from fa_jax.evaluation.scores import score_translations
from fa_jax.evaluation.smoothed_bleu import mean_smoothed_bleu
from tests.torture.effort import tried
from tests.torture.letters import lines

languages = st.sampled_from(["en", "de", "ja", "zh", "th", "ko"])
HIGHEST = {"ribes": 1.0, "ter": math.inf}


def numbers(scores):
    return {name: score for name, score in scores.items() if not name.endswith("_signature")}


@tried(40)
@given(st.lists(st.tuples(lines, lines), min_size=1, max_size=4), languages, st.randoms())
def test_scores_are_numbers_and_do_not_depend_on_the_order(pairs, language, random):
    scores = numbers(score_translations(*zip(*pairs, strict=True), language))
    for name, score in scores.items():
        assert 0 <= score <= HIGHEST.get(name, 100) + 1e-6, name
    random.shuffle(pairs)
    shuffled = numbers(score_translations(*zip(*pairs, strict=True), language))
    for name, score in scores.items():
        assert math.isclose(score, shuffled[name], abs_tol=1e-9), name


@tried(40)
@given(st.lists(st.lists(lines.filter(str.split), max_size=9), min_size=1, max_size=4))
def test_nothing_scores_above_the_reference_itself(texts):
    own = mean_smoothed_bleu(texts, texts)
    other = mean_smoothed_bleu(texts[::-1], texts)
    assert 0 <= other <= own + 1e-9 and own <= 100 + 1e-9
