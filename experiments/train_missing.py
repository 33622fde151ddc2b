"""Trains and measures whatever the study wants and does not have, several runs at once.

`python -m experiments.train_missing --at-once 15 --minutes 9`: on a GPU, which small networks leave
idle most of the time; NVIDIA's MPS lets the processes share it, and is started where it is there.
On a CPU one at a time. A run that is stopped goes on where it was when the command is given again.
"""

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

import tyro

import fa_jax
from experiments.measuring.folders import RUNS
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import Wanted, is_trained, train_or_load
from experiments.report import PARTS
from experiments.tables.part import rows_as_table
from fa_jax.training.loop import Interrupted
from fa_jax.training.metrics import read_metrics

MPS = "nvidia-cuda-mps-control"
SECONDS_TO_SAVE = 60
"""That a stopped training has to write its checkpoint."""


@dataclass(frozen=True)
class Job:
    """A folder of `RUNS`: the training that fills it, and what is measured of it.

    needs: folders that must be trained before.
    """

    run: StudyRun
    wanted: tuple[Wanted, ...] = ()
    needs: frozenset[str] = frozenset()

    @property
    def is_done(self) -> bool:
        """Trained, and all of it measured."""
        return is_trained(self.run) and all(one.is_recorded() for one in self.wanted)


def missing_jobs(wanted: Sequence[Wanted]) -> dict[str, Job]:
    """By folder: what is to be trained and measured, and what that starts from; longest first.

    Races are left out (`Wanted.is_race`).
    """
    jobs: dict[str, Job] = {}

    def add(run: StudyRun, *more: Wanted):
        before = jobs.get(run.folder, Job(replace(run, ensemble=1, replace_unknown=False)))
        others = [*run.members[1:], *([run.base] if run.base else [])]
        needs = before.needs | {other.folder for other in others}
        jobs[run.folder] = replace(before, wanted=(*before.wanted, *more), needs=needs)
        for other in others:
            if not is_trained(other):
                add(other)

    for one in wanted:
        if not one.is_race and not one.is_recorded():
            add(one.run, one)
    return dict(sorted(jobs.items(), key=lambda item: -item[1].run.minutes))


def work_off(
    jobs: Mapping[str, Job],
    command: Callable[[str], Sequence[str]],
    at_once: int,
    seconds: float,
    trained: Callable[[str], bool],
) -> dict[str, str]:
    """Runs each folder's command, so many at once, in order, as soon as what it needs is trained.

    Args:
      command: of a folder; it trains and measures, and saves itself on SIGTERM.
      seconds: after them what runs is asked to stop.
      trained: whether a folder's training is at its end.

    Returns:
      By folder how it went: "done", "stopped", "failed: …", or "waits" where it was not begun.
    """
    states = dict.fromkeys(jobs, "waits")
    running: dict[str, subprocess.Popen] = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for folder, process in [*running.items()]:
            if (code := process.poll()) is not None:
                del running[folder]
                states[folder] = "done" if code == 0 else f"failed: see {_log(folder)}"
                print(f"{folder}: {states[folder]}", file=sys.stderr, flush=True)
        ready = [
            folder
            for folder, job in jobs.items()
            if states[folder] == "waits" and all(map(trained, job.needs))
        ]
        for folder in ready[: at_once - len(running)]:
            running[folder], states[folder] = _started(folder, command(folder)), "runs"
            print(f"{folder}: begins", file=sys.stderr, flush=True)
        if not running:
            break
        time.sleep(0.2)
    for process in running.values():
        process.send_signal(signal.SIGTERM)
    last = time.monotonic() + SECONDS_TO_SAVE
    for folder, process in running.items():
        try:
            process.wait(max(0.0, last - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        states[folder] = "done" if process.returncode == 0 else "stopped"
    return states


def _log(folder: str) -> Path:
    return RUNS / "logs" / f"{folder}.txt"


def _started(folder: str, command: Sequence[str]) -> subprocess.Popen:
    _log(folder).parent.mkdir(parents=True, exist_ok=True)
    # Processes that share a GPU take memory as they need it.
    environment = os.environ | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    with _log(folder).open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment)


@contextmanager
def sharing_the_gpu():
    """NVIDIA's MPS runs meanwhile, where it is there: else processes take turns."""
    if not shutil.which(MPS):
        yield
        return
    subprocess.run([MPS, "-d"], check=False)
    try:
        yield
    finally:
        subprocess.run([MPS], input=b"quit\n", check=False)


def table(jobs: Mapping[str, Job], states: Mapping[str, str]) -> list[str]:
    """Of what was missing: what is there now."""
    rows = []
    for folder, job in jobs.items():
        steps = max((row["step"] for row in read_metrics(RUNS / folder)), default=0)
        measured = sum(one.is_recorded() for one in job.wanted)
        state = "there" if job.is_done else states[folder]
        rows.append((folder, state, f"{steps:,}", f"{measured} of {len(job.wanted)}"))
    return rows_as_table(("run", "state", "steps", "measured"), rows)


def _train_and_measure(job: Job):
    try:
        train_or_load(job.run)
        for one in job.wanted:
            one.train_and_measure()
    except Interrupted as stopped:
        raise SystemExit(f"{job.run.folder} stopped and saved at step {stopped.args[1]}") from None


def main(
    at_once: int = 1, minutes: float = math.inf, parts: tuple[str, ...] = PARTS, job: str = ""
):
    """Trains and measures what is missing, and prints what is there and what is not.

    Args:
      at_once: trainings side by side. A CPU is shared by all of them.
      minutes: after so many, what runs is saved and stopped.
      parts: of the report, whose runs are wanted.
      job: do the work of this one folder of runs, in this process.
    """
    fa_jax.set_up_process()  # before configs are made: these count words, in threads
    wanted = [one for part in parts for one in import_module(f"experiments.{part}").WANTED]
    jobs = missing_jobs(wanted)
    if job:
        if job in jobs:
            _train_and_measure(jobs[job])
        return
    again = ["--parts", *parts]
    with sharing_the_gpu():
        states = work_off(
            jobs,
            lambda folder: [
                *(sys.executable, "-m", "experiments.train_missing", "--job", folder, *again)
            ],
            at_once,
            60 * minutes,
            lambda folder: (RUNS / folder / "test.json").exists(),
        )
    print("\n".join(table(jobs, states)))


if __name__ == "__main__":
    tyro.cli(main)
