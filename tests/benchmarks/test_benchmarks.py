"""Benchmarks time what they say they time. How fast it was is not tested."""

import inspect
import json
import sys
from importlib import import_module
from types import ModuleType

import numpy as np
import pytest
import tyro

from experiments.benchmarks import BENCHMARKS
from experiments.benchmarks import __main__ as command
from experiments.benchmarks.report import Headline, Report, run
from experiments.benchmarks.steps import attention_sides
from experiments.benchmarks.timing import alternate
from fa_jax.attention import General
from fa_jax.errors import UserError


def test_a_single_round_has_no_spread():
    (timing,) = alternate({"a": lambda: np.zeros(1)}, 1).values()
    assert timing.spread == 0 and timing.seconds > 0


def test_sides_alternate_and_compilation_is_apart():
    calls = []
    sides = {name: lambda name=name: calls.append(name) or np.zeros(1) for name in "ab"}
    times = alternate(sides, 4)
    assert calls == list("ab" * 5)
    assert all(timing.seconds > 0 and timing.compilation >= 0 for timing in times.values())


@pytest.mark.parametrize("beam", [1, 3])
def test_both_sides_of_a_step_are_one_step(beam):
    sides, window = attention_sides(General(), 64, 16, 4, beam, 8)
    assert 15 <= window <= 17
    dense, windowed = (sides[name]() for name in ("dense", "windowed"))
    np.testing.assert_allclose(dense.context, windowed.context, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(dense.window, windowed.window)


@pytest.fixture
def made_up(monkeypatch):
    """A benchmark of one row and two headlines; a file and a row of the table are all it takes."""

    def measure(rounds: int = 3) -> Report:
        headlines = [
            Headline("time ÷ time", 0.846, 0.8, bound=0.7),
            Headline("speed ÷ speed", 4.5, 4, at_least=True),
        ]
        return Report(
            "made_up", {"rounds": rounds}, [{"a_b": 1.23456, "c": 2}], ["Note."], headlines
        )

    module = ModuleType("experiments.benchmarks.made_up")
    module.measure = measure
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(BENCHMARKS, "made_up", "is it so?")


HEADLINES = (
    "| [made_up](made_up.md) | time ÷ time | 0.846 | ≤ 0.8 | no | 0.70 |",
    "| [made_up](made_up.md) | speed ÷ speed | 4.5 | ≥ 4 | yes |  |",
)


def test_reports_are_printed_and_nothing_is_written(made_up, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(["made_up"])
    printed = capsys.readouterr().out
    assert "is it so?" in printed and "| a b | c |" in printed and "| 1.23 | 2 |" in printed
    assert all(line in printed for line in HEADLINES)
    assert not list(tmp_path.iterdir())


def test_reports_are_written_where_one_says(made_up, tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    run(["made_up"], rounds=5, output=folder)
    kept = json.loads((folder / "made_up.json").read_text(encoding="utf-8"))
    assert kept["benchmark"] == "made_up" and kept["settings"] == {"rounds": 5}
    assert kept["rows"] == [{"a_b": 1.23456, "c": 2}]
    assert (folder / "made_up.md").read_text(encoding="utf-8") in capsys.readouterr().out
    summary = (folder / "benchmarks.md").read_text(encoding="utf-8")
    assert all(line in summary for line in HEADLINES)
    assert len(list(folder.iterdir())) == 3


def test_the_summary_holds_what_was_measured_another_day(made_up, tmp_path, capsys):
    other = {"machine": "another one", "headlines": [{"what": "x", "value": 1.0, "target": 2.0}]}
    (tmp_path / "score_costs.json").write_text(json.dumps(other), encoding="utf-8")
    (tmp_path / "long_sentences.json").write_text(
        '{"machine": "old", "rows": []}', encoding="utf-8"
    )
    run(["made_up"], output=tmp_path)
    summary = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert "| x | 1 | ≤ 2 | yes |" in summary and "another one" in summary
    assert HEADLINES[0] in summary


def test_what_cannot_be_measured_is_said_first(made_up, tmp_path):
    with pytest.raises(UserError, match="unknown benchmark 'speed': choose training_memory"):
        run(["made_up", "speed"])
    with pytest.raises(UserError, match="rounds must be at least 0, got -1"):
        run(["made_up"], rounds=-1)
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written to"):
        run(["made_up"], output=tmp_path / "file")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_row_of_the_table_is_a_benchmark(name):
    measure = import_module(f"experiments.benchmarks.{name}").measure
    assert "rounds" in inspect.signature(measure).parameters


def test_a_reader_types_names_and_where_to_write(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(command, "run", lambda *args: asked.append(args))
    given = ["score_costs", "long_sentences", "--rounds", "3", "--output", str(tmp_path)]
    tyro.cli(command.main, args=given)
    assert asked == [(("score_costs", "long_sentences"), 3, tmp_path)]


def test_a_mistake_is_a_sentence(capsys):
    with pytest.raises(SystemExit):
        tyro.cli(command.main, args=["speed"])
    assert "benchmarks: unknown benchmark 'speed': choose" in capsys.readouterr().err
