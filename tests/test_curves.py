"""Curves of BLEU over width, and what a step does where attention jumps."""

import math

import pytest

from experiments import curves
from experiments.curves import SWEEP, bleu_at, curve, jumps
from experiments.measuring import records
from experiments.measuring.study_run import StudyRun

RUN = StudyRun("tatoeba_en_ja", "small-words")


@pytest.fixture
def measured(monkeypatch):
    """Of each threshold: a window of so many of ten positions, with so much BLEU."""
    windows = dict(zip(SWEEP, [3, 4, 5, 6, 7, 7.5, 8, 9, 9.5, 10], strict=True))

    def recorded(run, threshold, split):
        assert (run, split) == (RUN, "validation")
        window = windows[threshold]
        return {"window": window, "source_length": 10, "bleu": 2 * window}

    monkeypatch.setattr(curves, "recorded", recorded)


def test_bleu_lies_on_the_line_between_two_thresholds(measured):
    assert curve(RUN)[0] == (1.0, 20) and curve(RUN)[-1] == (0.3, 6)
    assert bleu_at(RUN, 0.45) == pytest.approx(9.0)
    assert math.isnan(bleu_at(RUN, 0.25))


def test_steps_that_jump_are_told_from_others(monkeypatch):
    """The first step has none before it; a short sentence has no room for a jump."""
    rows = [
        {"length": 10, "aligned": [0, 1, 8, 2, 3], "window": [10, 3, 10, 4, 10]},
        {"length": 5, "aligned": [0, 4, 0], "window": [5, 5, 5]},
    ]
    monkeypatch.setattr(curves.Observations, "recorded", lambda self: rows)
    far, near = jumps(RUN)
    assert (far, near) == (0.5, 0.5)


def test_a_part_is_drawn_and_says_what_was_found(measured, monkeypatch, tmp_path):
    texts = curves.Text("Text", (RUN,), has_control=True), curves.Text("B", (RUN,))
    monkeypatch.setattr(curves, "TEXTS", texts)
    monkeypatch.setattr(
        curves.Text, "controls", property(lambda self: self.runs[: self.has_control])
    )
    monkeypatch.setattr(curves, "jumps", lambda run: (0.8, 0.1))
    monkeypatch.setattr(StudyRun, "whole", property(lambda self: self))
    part = curves.part()
    assert "| Text | 1 | in windows | 20.00 | cannot be had | 8.00 | 12.00 |" in part.lines
    assert sum("| constant strength |" in line for line in part.lines) == 1
    assert "have +0.00 BLEU against a constant one" in part.findings[2]
    assert "BLEU is -12.00 against" in part.findings[0] and "missed" in part.findings[0]
    part.figures["curves"](tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


@pytest.mark.parametrize(("selected", "observed"), [(math.inf, "1.6"), (1.2, "1.2")])
def test_steps_are_observed_in_windows_even_where_all_of_them_cost_much(
    selected, observed, monkeypatch
):
    monkeypatch.setattr(records, "selected", lambda run: selected)
    assert curves.Observations(RUN).path.name == f"tatoeba_en_ja-small-words.{observed}.json"
