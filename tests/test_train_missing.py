"""Several trainings at once: in order, as many as asked for, stopped in time."""

import sys
import time
from dataclasses import dataclass

import pytest

from experiments import train_missing
from experiments.measuring import wanted
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import Wanted
from experiments.train_missing import Job, missing_jobs, table, work_off

WORK = """
import signal, sys, time
from pathlib import Path
place, seconds = Path(sys.argv[1]), float(sys.argv[2])
def stop(number, frame):
    place.with_suffix(".stopped").touch()
    sys.exit(143)
signal.signal(signal.SIGTERM, stop)
place.with_suffix(".begun").write_text(str(time.time()))
time.sleep(seconds)
if sys.argv[3] == "fails":
    sys.exit("no")
place.with_suffix(".ended").write_text(str(time.time()))
"""


@dataclass(frozen=True)
class Measured(Wanted):
    run: StudyRun
    is_there: bool = False

    def is_recorded(self):
        return self.is_there

    def train_and_measure(self):
        raise AssertionError


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    for module in (train_missing, wanted):
        monkeypatch.setattr(module, "RUNS", tmp_path)
    return tmp_path


def worked_off(runs, jobs, at_once, seconds=60.0, work=0.5, fails=()):
    def command(folder):
        ends = "fails" if folder in fails else "ends"
        return [sys.executable, "-c", WORK, str(runs / folder), str(work), ends]

    def trained(folder):
        return (runs / f"{folder}.ended").exists()

    return work_off(jobs, command, at_once, seconds, trained)


def times(runs, folder):
    return [float((runs / f"{folder}.{end}").read_text()) for end in ("begun", "ended")]


def test_what_is_missing_is_trained_once_and_after_its_base():
    verses = StudyRun("bible_de_en_chapters", "small")
    chapters = StudyRun("bible_de_en_chapters", "small", documents=1000)
    characters = StudyRun("tatoeba_en_ja", "small-chars")
    members = StudyRun("tatoeba_en_ja", "small-words", ensemble=2)
    jobs = missing_jobs(
        [
            Measured(verses),
            Measured(chapters),
            Measured(verses),
            Measured(characters),
            Measured(StudyRun("tatoeba_de_en", "small"), is_there=True),
            Measured(members),
        ]
    )
    assert next(iter(jobs)) == characters.folder  # it takes longest
    assert jobs.keys() == {one.folder for one in (verses, chapters, characters, *members.members)}
    assert len(jobs[verses.folder].wanted) == 2
    assert jobs[chapters.folder].needs == {verses.folder}
    assert jobs[members.folder].needs == {members.members[1].folder}
    assert jobs[members.members[1].folder].wanted == ()


def test_a_race_is_left_out(monkeypatch):
    monkeypatch.setattr(Measured, "is_race", True)
    assert missing_jobs([Measured(StudyRun("tatoeba_en_ja", "small"))]) == {}


def test_so_many_run_at_once_and_what_needs_another_waits(runs):
    run = StudyRun("tatoeba_en_ja", "small")
    jobs = {name: Job(run) for name in "abc"} | {"d": Job(run, needs=frozenset("a"))}
    states = worked_off(runs, jobs, at_once=2)
    assert states == dict.fromkeys("abcd", "done")
    (begun_c, _), (begun_d, _) = times(runs, "c"), times(runs, "d")
    assert begun_c >= min(times(runs, name)[1] for name in "ab")
    assert begun_d >= times(runs, "a")[1]


def test_in_time_all_are_asked_to_stop(runs):
    run = StudyRun("tatoeba_en_ja", "small")
    jobs = {"a": Job(run), "b": Job(run), "c": Job(run)}
    began = time.monotonic()
    states = worked_off(runs, jobs, at_once=2, seconds=2.0, work=30)
    assert time.monotonic() - began < 20
    assert states == {"a": "stopped", "b": "stopped", "c": "waits"}
    assert (runs / "a.stopped").exists() and (runs / "b.stopped").exists()
    assert "| a | stopped | 0 | 0 of 0 |" in table(jobs, states)


def test_one_that_fails_is_named_and_stops_no_other(runs):
    run = StudyRun("tatoeba_en_ja", "small")
    jobs = {"a": Job(run), "b": Job(run, needs=frozenset("a")), "c": Job(run)}
    states = worked_off(runs, jobs, at_once=1, fails="a")
    assert states["a"].startswith("failed: see ") and states["c"] == "done"
    assert states["b"] == "waits"
    assert (runs / "logs" / "a.txt").read_text() == "no\n"
