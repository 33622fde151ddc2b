"""The paper's rule for the threshold."""

import math

import pytest

from fa_jax.config import TrainingConfig
from fa_jax.evaluation.selection import (
    THRESHOLDS,
    Candidate,
    Selection,
    choose,
    shown_in_windows,
    thresholds_for,
)

TRIED = [
    Candidate("a", float("inf"), 20.0, 14.0),
    Candidate("a", 1.2, 19.8, 8.0),
    Candidate("a", 0.8, 19.5, 6.0),
    Candidate("b", 0.8, 19.4, 5.0),
    Candidate("b", 1.2, 19.9, 6.0),
]


def test_the_smallest_window_that_costs_little():
    # Of two windows of 6, the one with more BLEU; a window of 5 costs 0.6.
    assert choose(TRIED) == Selection(tuple(TRIED), TRIED[4], 20.0)
    assert choose(TRIED, largest_loss=0.6).chosen == TRIED[3]
    assert choose(TRIED, largest_loss=0.0).chosen == TRIED[0]


def test_the_table_names_runs_by_their_folders_and_shows_other_scores():
    scores = {"chrf": 31.25, "ter": 104.5}
    tried = [Candidate(f"/somewhere/runs/{name}", 1.2, 20.0, 7.5, scores) for name in ("a", "bcd")]
    heads, first, last = map(str.split, str(choose(tried)).splitlines())
    assert heads == ["run", "threshold", "BLEU", "(loss)", "window", "chrF", "TER"]
    assert first == ["a", "1.2", "20.00", "(0.00)", "7.50", "31.25", "104.50", "<-", "chosen"]
    assert last == ["bcd", *first[1:-2]]


def test_the_table_shows_what_was_tried_and_chosen():
    lines = str(choose(TRIED)).splitlines()
    assert len(lines) == 1 + len(TRIED)
    assert [line.endswith("<- chosen") for line in lines[1:]] == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("learnt", "windows_from", "shown", "more"),
    [(math.inf, 0, 1.2, ()), (0.8, 0, 1.2, ()), (4.5, 0.5, 4.5, (4.5,)), (4.5, 1, 1.2, ())],
)
def test_what_learnt_in_wide_windows_is_shown_and_tried_in_them(learnt, windows_from, shown, more):
    learnt = TrainingConfig(threshold=learnt, windows_from=windows_from).learnt_threshold
    assert shown_in_windows(learnt) == shown
    assert thresholds_for(learnt) == (*THRESHOLDS, *more)
