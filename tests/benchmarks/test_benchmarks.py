"""Benchmarks time what they say they time. How fast it was is not tested."""

import json

import numpy as np
import pytest

from fa_jax.benchmarks import forced_decoding
from fa_jax.benchmarks.report import Headline, Report, write_summary
from fa_jax.benchmarks.steps import attention_sides
from fa_jax.benchmarks.timing import alternate
from fa_jax.config import ModelConfig


def test_sides_alternate_and_compilation_is_apart():
    calls = []
    sides = {name: lambda name=name: calls.append(name) or np.zeros(1) for name in "ab"}
    times = alternate(sides, 4)
    assert calls == list("ab" * 5)
    assert all(timing.seconds > 0 and timing.compilation >= 0 for timing in times.values())


@pytest.mark.parametrize("beam", [1, 3])
def test_both_sides_of_a_step_are_one_step(beam):
    sides, window = attention_sides("general", 64, 16, 4, beam, 8)
    assert 15 <= window <= 17
    dense, windowed = (sides[name]() for name in ("dense", "windowed"))
    np.testing.assert_allclose(dense.context, windowed.context, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(dense.window, windowed.window)


def test_a_trace_covers_its_share_and_is_replayed(monkeypatch):
    monkeypatch.setattr(forced_decoding, "STEPS", 5)
    monkeypatch.setattr(forced_decoding, "SOURCE_LENGTH", 40)
    lengths, first, last = forced_decoding.record(3, np.random.default_rng(0))
    assert (first >= 0).all() and (last < lengths).all() and (first <= last).all()
    model = ModelConfig(
        embedding_size=4, encoder_size=4, decoder_size=4, attention_size=4, bottleneck_size=4
    )
    sides, share = forced_decoding._sides(model, 3)
    assert abs(share - forced_decoding.SHARE) < 0.02
    chosen, window = sides["flexible"]()
    np.testing.assert_array_equal(window, last - first + 1)
    assert chosen.shape == (5, 3, 1) and (np.asarray(chosen) < 0).all()
    np.testing.assert_array_equal(sides["global"]()[1], np.broadcast_to(lengths, (5, 3)))


def test_a_report_is_kept_as_json_and_as_a_table(tmp_path):
    report = Report("some_name", "is it so?", {"rounds": 3}, [{"a_b": 1.23456, "c": 2}], ["Note."])
    report.write(tmp_path)
    assert json.loads((tmp_path / "some_name.json").read_text())["rows"] == report.rows
    table = (tmp_path / "some_name.md").read_text()
    assert "| a b | c |" in table and "| 1.23 | 2 |" in table and "is it so?" in table


def test_the_summary_says_which_targets_are_met(tmp_path):
    headlines = [
        Headline("time ÷ time", 0.846, 0.8, bound=0.7),
        Headline("speed ÷ speed", 4.5, 4, at_least=True),
    ]
    Report("one", "is it so?", {}, [{"a": 1}], headlines=headlines).write(tmp_path)
    table = write_summary(tmp_path, ["one", "never_measured"])
    assert "| [one](one.md) | time ÷ time | 0.846 | ≤ 0.8 | no | 0.70 |" in table
    assert "| [one](one.md) | speed ÷ speed | 4.5 | ≥ 4 | yes |  |" in table
