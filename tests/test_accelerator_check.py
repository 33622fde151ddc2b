"""The check of an accelerator: its page, its time, and parts that fail."""

import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from experiments import accelerator_check
from experiments.accelerator import agreement, passing_tests, resume
from experiments.accelerator.conditions import Conditions
from experiments.accelerator.measured import rows_of
from experiments.accelerator.outcome import Outcome, ended, outcome
from experiments.accelerator.page import Found, page
from experiments.accelerator.parts import PARTS
from experiments.accelerator.peaks import peak_of
from experiments.accelerator.training import operations_of_step
from experiments.benchmarks.operations import operations
from fa_jax.errors import UserError
from fa_jax.presets import preset

DEVICE = {
    "kind": "NVIDIA H100 80GB HBM3",
    "platform": "gpu",
    "count": 2,
    "memory_gb": 79.6,
    "jax": "0.10.2",
    "jaxlib": "0.10.2",
    "python": "3.12.1",
    "fa_jax": "0.1.0",
}
NOTHING = dict.fromkeys(PARTS, Outcome("not run yet"))
FOUND = Found(DEVICE, "2026-01-31", "abc1234", 10.0, False, NOTHING)


def with_outcomes(**outcomes):
    return replace(FOUND, outcomes=NOTHING | outcomes)


def test_the_page_holds_each_parts_table_and_what_failed(tmp_path):
    rows = [
        {"case": "dot", "windowed, highest": 1.234e-7, "dense, default": 0.001},
        {"case": "concat", "windowed, highest": 2e-7, "kernel, highest": "nan"},
        {"case": "tensor", "fails": "XlaRuntimeError: no memory"},
    ]
    tests = [{"case": "tests/model", "passed": 3, "not_passed": ["tests.a.test_b[x]: it: broke"]}]
    found = with_outcomes(
        agreement=Outcome("done", 31.4, rows),
        passing_tests=Outcome("failed with SIGABRT: out of memory", 5.0, tests),
    )
    found.write(tmp_path)
    text = (tmp_path / "nvidia-h100-80gb-hbm3.md").read_text(encoding="utf-8")
    assert "# fa_jax on NVIDIA H100 80GB HBM3\n" in text
    assert "2 devices with 80 GB each, platform gpu. fa_jax 0.1.0 (commit abc1234)" in text
    assert "2026-01-31" in text and "smallest" not in text.split("## Send it")[0]
    assert "| score | windowed, highest | dense, default | kernel, highest |" in text
    assert "| dot | 1.23e-07 | 0.001 |  |" in text and "| concat | 2e-07 |  | nan |" in text
    assert "tensor: XlaRuntimeError: no memory" in text and "| tensor |" not in text
    assert "failed with SIGABRT: out of memory." in text
    assert "- Test `tests.a.test_b[x]`: it: broke" in text
    assert all(f"## {part.title}\n" in text for part in PARTS.values())
    assert "`nvidia-h100-80gb-hbm3.md` and `nvidia-h100-80gb-hbm3.json`" in text
    kept = json.loads((tmp_path / "nvidia-h100-80gb-hbm3.json").read_text(encoding="utf-8"))
    assert kept["device"] == DEVICE and kept["outcomes"]["agreement"]["rows"] == rows
    assert len([*tmp_path.iterdir()]) == 2


def test_the_smallest_sizes_say_so():
    assert "The times say nothing of the device" in page(replace(FOUND, smallest=True))


@pytest.mark.parametrize(
    ("kind", "bfloat16"),
    [
        ("NVIDIA H100 80GB HBM3", 989),
        ("NVIDIA H100 PCIe", 756),
        ("NVIDIA A100-SXM4-40GB", 312),
        ("NVIDIA L4", 121),
        ("NVIDIA L40S", None),
        ("Tesla T4", 65),
        ("Tesla V100-SXM2-16GB", 125),
        ("TPU v4", 275),
        ("TPU v5 lite", 197),
        ("TPU v5p", 459),
        ("TPU v6 lite", 918),
        ("cpu", None),
    ],
)
def test_a_devices_peak_is_known_by_its_name(kind, bfloat16):
    peak = peak_of(kind)
    assert (peak and peak.bfloat16) == bfloat16
    assert peak is None or peak.float32 <= peak.bfloat16


def test_a_training_step_is_three_times_the_forward_pass():
    config = preset("char", "en-ja", "")
    each = operations(config.model, 3004)
    words = 300 * (each.read + each.feed_back + each.write)
    assert operations_of_step(config) == pytest.approx(3 * (words + 300 * 300 * each.score))


def side(code):
    """A process that writes rows to its --output, as a part does."""
    begin = "import os, sys, time; file = open(sys.argv[-1], 'w')\n"
    begin += "say = lambda row: print(row, file=file, flush=True)\n"
    return [sys.executable, "-c", begin + code]


def test_a_part_that_crashes_is_a_line_and_keeps_its_rows():
    code = """say('{"case": "a"}'); print('in /some/folder/x.py: it broke', file=sys.stderr)
sys.stderr.flush(); os.abort()"""
    found = ended(side(code), 60)
    assert found.ended == "failed with SIGABRT: in x.py: it broke"
    assert found.rows == [{"case": "a"}]
    assert ended(side("sys.exit(3)"), 60).ended == "failed with status 3: it said nothing"


@pytest.mark.skipif(not shutil.which("ps"), reason="ps tells whether a process runs")
def test_a_part_that_hangs_is_ended_with_its_children():
    code = """import subprocess
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
say('{"case": %d}' % child.pid); file.write('{"case"'); file.flush(); time.sleep(600)"""
    found = ended(side(code), 2)
    assert found.ended == "ended after 2 s: no time was left"
    (row,) = found.rows
    ends = time.monotonic() + 20
    while runs(row["case"]) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not runs(row["case"])


def runs(process):
    state = ["ps", "-o", "stat=", "-p", str(process)]
    return subprocess.run(state, capture_output=True).stdout.strip()[:1] not in (b"", b"Z")


def test_a_case_that_fails_leaves_the_others():
    def breaks():
        raise RuntimeError("at /a/b/c.py\nand more")

    def refuses():
        raise UserError("left out: no time")

    cases = {"a": breaks, "b": refuses, "c": lambda: {"x": float("nan"), "y": 1.0}}
    assert [*rows_of(cases)] == [
        {"case": "a", "fails": "RuntimeError: at c.py"},
        {"case": "b", "fails": "left out: no time"},
        {"case": "c", "x": "nan", "y": 1.0},
    ]


def test_each_part_has_its_share_of_the_time_that_is_left(capsys):
    asked = {}

    def run(name, conditions):
        asked[name] = conditions.seconds
        return Outcome("done", 1.0)

    *_, last = accelerator_check.measured(FOUND, lambda: 600.0, run)
    assert [*asked] == [*PARTS] and asked["passing_tests"] == 600
    first = 600 * PARTS["agreement"].share / sum(part.share for part in PARTS.values())
    assert asked["agreement"] == pytest.approx(first)
    assert {outcome.ended for outcome in last.outcomes.values()} == {"done"}
    assert f"agreement: begins, at most {first:.0f} s" in capsys.readouterr().err


def test_a_part_without_time_is_left_out():
    *_, last = accelerator_check.measured(FOUND, lambda: 4.0, outcome)
    assert {one.ended for one in last.outcomes.values()} == {"left out: no time"}
    assert page(last).count("* left out: no time.") == len(PARTS)


def test_a_machine_without_a_device_is_told_what_to_install(tmp_path, monkeypatch):
    failed = Outcome("done", 1.0, [{"case": "device", "fails": "RuntimeError: no TPU"}])
    monkeypatch.setattr(accelerator_check, "outcome", lambda *of: failed)
    with pytest.raises(SystemExit, match=r"no device answers \(RuntimeError: no TPU\).*make setup"):
        accelerator_check.check(output=tmp_path)


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_a_module_with_cases(name):
    assert callable(import_module(f"experiments.accelerator.{name}").cases)


def test_the_implementations_agree_here():
    row = agreement.cases(Conditions("gpu", True, 60.0))["dot"]()
    of_windows = {f"windowed, {precision}" for precision in agreement.PRECISIONS}
    assert {*row} == of_windows | {"dense, default"}
    assert max(row.values()) < 1e-5


def test_a_difference_is_relative_where_numbers_are_large():
    found = agreement.difference((np.array([1000.0, 0.1]),), (np.array([1001.0, 0.3]),))
    assert found == pytest.approx(0.2)
    assert np.isnan(agreement.difference((np.array([np.nan]),), (np.array([1.0]),)))


def test_trainings_are_compared_bit_for_bit():
    wanted = {"a": np.float32([1, 2]), "b": np.int32([3]), "c": np.float32([0.0])}
    found = wanted | {"a": np.float32([1, 2.5]), "c": np.float32([-0.0])}
    assert resume.compared(wanted, wanted) == {"arrays": 3, "alike": 3, "largest_difference": 0.0}
    assert resume.compared(found, wanted) == {"arrays": 3, "alike": 1, "largest_difference": 0.5}
    with pytest.raises(UserError, match=r"one training alone: \['c'\]"):
        resume.compared({"a": wanted["a"], "b": wanted["b"]}, wanted)


def test_a_deterministic_training_with_other_bits_has_failed(monkeypatch):
    ends = {"unbroken": {"a": np.float32([1.0])}, "stopped": {"a": np.float32([1.5])}}
    for name in ("_train", "write_corpus"):
        monkeypatch.setattr(resume, name, lambda *of, **options: None)
    monkeypatch.setattr(resume, "_trained", lambda folder, run, options: ends[run])
    exact, free = resume.cases(Conditions("gpu", False, 60.0)).values()
    (failed,) = rows_of({"exact": exact})
    assert failed["fails"].startswith("0 of 1 arrays are the same bit for bit; others differ by up")
    assert free() == {"arrays": 1, "alike": 0, "largest_difference": 0.5}


def test_what_pytest_found_is_counted():
    xml = """<testsuites><testsuite>
    <testcase classname="tests.a" name="test_b[1]" time="1.5"/>
    <testcase classname="tests.a" name="test_c" time="0.5"><failure message="it broke&#10;x"/></testcase>
    <testcase classname="tests.a" name="test_d" time="0"><skipped/></testcase>
    <testcase classname="tests.a" name="test_e" time="0"><error message="worker crashed"/></testcase>
    </testsuite></testsuites>"""  # noqa: E501
    assert passing_tests.counted(xml) == {
        "passed": 1,
        "failed": 2,
        "skipped": 1,
        "seconds": 2.0,
        "not_passed": ["tests.a.test_c: it broke", "tests.a.test_e: worker crashed"],
    }


def test_the_paths_of_tests_are_there():
    root = accelerator_check.RESULTS.parents[1]
    assert all((root / path).exists() for path in (*passing_tests.PATHS, passing_tests.SMALLEST))


def test_titles_say_no_folder():
    assert not re.search(r"/\w+/", " ".join(part.title for part in PARTS.values()))
