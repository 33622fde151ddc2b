"""When the rate is halved and when training ends, step by step against a score that is given."""

import pytest

from fa_jax.training.progress import Progress


def halvings(scores, patience):
    progress = Progress()
    for step, score in enumerate(scores, start=1):
        progress = progress.after(step, score, patience)
        yield progress.halvings


@pytest.mark.parametrize(
    ("patience", "expected"),
    [(0, [0] * 8), (1, [0, 0, 1, 2, 2, 3, 4, 5]), (2, [0, 0, 0, 1, 1, 1, 2, 2])],
)
def test_so_many_validations_without_a_better_score_halve_the_rate(patience, expected):
    assert list(halvings([1, 5, 5, 4, 6, 5, 3, 6], patience)) == expected


def test_the_best_is_the_first_of_the_highest():
    progress = Progress()
    for step, score in [(10, 0.0), (20, 7.0), (30, 7.0), (40, 6.0)]:
        progress = progress.after(step, score, 1)
    assert (progress.best_step, progress.best_bleu) == (20, 7.0)
